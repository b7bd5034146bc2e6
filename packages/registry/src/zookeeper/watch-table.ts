/**
 * The persistent watches of a ZooKeeper client: the listeners of each path, and the watches to set after a
 * reconnect.
 */
import { isBelow, parentOf } from '../path.ts';
import type { ZooKeeperEvent } from './records.ts';

type Mode = 'persistent' | 'recursive';

interface TableWatch {
  readonly path: string;
  readonly mode: Mode;
  readonly listener: (event: ZooKeeperEvent) => void;
}

/** ZooKeeper limits requests to 1 MiB. */
const CHUNK = 100_000;

/**
 * ZooKeeper keeps one mode per path of a client: a persistent watch would end a recursive one. So a path with
 * both is watched recursively, and `children` events are derived from the events of its children.
 */
export class WatchTable {
  readonly #watches = new Set<TableWatch>();
  /** Paths that the server watches recursively for this session. */
  readonly #recursive = new Set<string>();

  add(path: string, mode: Mode, listener: (event: ZooKeeperEvent) => void): TableWatch {
    const watch = { path, mode, listener };
    this.#watches.add(watch);
    if (mode === 'recursive') this.#recursive.add(path);
    return watch;
  }

  /** The mode to request from the server. */
  modeOf(path: string): Mode {
    return this.#recursive.has(path) ? 'recursive' : 'persistent';
  }

  /**
   * Removes a watch; returns whether it existed and its path is no longer watched. While the path has another
   * watch, the server's watch stays: ZooKeeper 3.8 can only remove all watches of a path, and setting one
   * again could miss a change.
   */
  remove(watch: TableWatch): boolean {
    if (!this.#watches.delete(watch)) return false;
    if ([...this.#watches].some(({ path }) => path === watch.path)) return false;
    this.#recursive.delete(watch.path);
    return true;
  }

  tell(event: ZooKeeperEvent): void {
    const isChild = event.type === 'created' || event.type === 'deleted';
    const parent = parentOf(event.path);
    const children = isChild && this.#recursive.has(parent) && event.path !== '/';
    for (const watch of [...this.#watches]) {
      if (concerns(watch, event)) watch.listener(event);
      if (children && watch.mode === 'persistent' && watch.path === parent)
        watch.listener({ type: 'children', path: parent });
    }
  }

  resync(): void {
    for (const { path, listener } of [...this.#watches]) listener({ type: 'resync', path });
  }

  /** All watched paths, split into lists that fit one request. */
  chunks(): { persistent: string[]; recursive: string[] }[] {
    const chunks: { persistent: string[]; recursive: string[] }[] = [];
    let bytes = CHUNK;
    for (const path of new Set([...this.#watches].map((watch) => watch.path))) {
      if (bytes >= CHUNK) {
        chunks.push({ persistent: [], recursive: [] });
        bytes = 0;
      }
      chunks.at(-1)?.[this.modeOf(path)].push(path);
      bytes += path.length;
    }
    return chunks;
  }
}

/** The server sends `children` only for paths that are not watched recursively. */
function concerns({ path, mode }: TableWatch, event: ZooKeeperEvent): boolean {
  if (event.path === path) return mode === 'persistent' || event.type !== 'children';
  return mode === 'recursive' && event.type !== 'children' && isBelow(event.path, path);
}
