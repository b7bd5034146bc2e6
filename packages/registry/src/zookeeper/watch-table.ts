/**
 * The persistent watches of a ZooKeeper client: the listeners of each path, and the watches to set after a
 * reconnect.
 */
import { parentOf } from '../path.ts';
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
  /** The watches of each path: an event finds its own without looking at those of other paths. */
  readonly #watches = new Map<string, Set<TableWatch>>();
  /** Paths that the server watches recursively for this session. */
  readonly #recursive = new Set<string>();

  add(path: string, mode: Mode, listener: (event: ZooKeeperEvent) => void): TableWatch {
    const watch = { path, mode, listener };
    const here = this.#watches.get(path) ?? new Set();
    this.#watches.set(path, here.add(watch));
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
    const here = this.#watches.get(watch.path);
    if (!here?.delete(watch) || here.size > 0) return false;
    this.#watches.delete(watch.path);
    this.#recursive.delete(watch.path);
    return true;
  }

  tell(event: ZooKeeperEvent): void {
    const isChild = event.type === 'created' || event.type === 'deleted';
    const parent = parentOf(event.path);
    for (let at = event.path; ; at = parentOf(at)) {
      for (const watch of this.#at(at)) if (concerns(watch, event)) watch.listener(event);
      if (at === '/') break;
    }
    if (!isChild || event.path === '/' || !this.#recursive.has(parent)) return;
    for (const { mode, listener } of this.#at(parent))
      if (mode === 'persistent') listener({ type: 'children', path: parent });
  }

  resync(): void {
    for (const path of [...this.#watches.keys()])
      for (const { listener } of this.#at(path)) listener({ type: 'resync', path });
  }

  /** The watches of a path as they are now: a listener may change them. */
  #at(path: string): readonly TableWatch[] {
    return [...(this.#watches.get(path) ?? [])];
  }

  /** All watched paths, split into lists that fit one request. */
  chunks(): { persistent: string[]; recursive: string[] }[] {
    const chunks: { persistent: string[]; recursive: string[] }[] = [];
    let bytes = CHUNK;
    for (const path of this.#watches.keys()) {
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

/**
 * Whether a watch of the event's path or of one above it reports the event. The server sends `children` only for
 * paths that are not watched recursively.
 */
function concerns({ path, mode }: TableWatch, event: ZooKeeperEvent): boolean {
  if (event.path === path) return mode === 'persistent' || event.type !== 'children';
  return mode === 'recursive' && event.type !== 'children';
}
