/** The persistent watches of a ZooKeeper client: who listens where, and what to set again after a reconnect. */
import { isBelow } from '../path.ts';
import type { ZooKeeperEvent } from './records.ts';

type Mode = 'persistent' | 'recursive';

interface TableWatch {
  readonly path: string;
  readonly mode: Mode;
  readonly listener: (event: ZooKeeperEvent) => void;
}

/** ZooKeeper takes requests of 1 MiB. */
const CHUNK = 100_000;

export class WatchTable {
  readonly #watches = new Set<TableWatch>();

  add(path: string, mode: Mode, listener: (event: ZooKeeperEvent) => void): TableWatch {
    const watch = { path, mode, listener };
    this.#watches.add(watch);
    return watch;
  }

  /**
   * Whether it was there and its path is no longer watched. While another watch of the path is left, in whichever mode,
   * the server has to go on: ZooKeeper 3.8 removes only all watches of a path, and to set one again could miss a change.
   */
  remove(watch: TableWatch): boolean {
    return this.#watches.delete(watch) && ![...this.#watches].some(({ path }) => path === watch.path);
  }

  tell(event: ZooKeeperEvent): void {
    for (const watch of [...this.#watches]) if (concerns(watch, event)) watch.listener(event);
  }

  resync(): void {
    for (const { path, listener } of [...this.#watches]) listener({ type: 'resync', path });
  }

  /** All watched paths, in lists that fit a request. */
  chunks(): { persistent: string[]; recursive: string[] }[] {
    const chunks: { persistent: string[]; recursive: string[] }[] = [];
    const seen = new Set<string>();
    let bytes = CHUNK;
    for (const { path, mode } of this.#watches) {
      if (seen.has(`${mode} ${path}`)) continue;
      seen.add(`${mode} ${path}`);
      if (bytes >= CHUNK) {
        chunks.push({ persistent: [], recursive: [] });
        bytes = 0;
      }
      chunks.at(-1)?.[mode].push(path);
      bytes += path.length;
    }
    return chunks;
  }
}

/** A recursive watch gets no `children`; those are for the parent of what the server tells apart. */
function concerns({ path, mode }: TableWatch, event: ZooKeeperEvent): boolean {
  if (event.path === path) return mode === 'persistent' || event.type !== 'children';
  return mode === 'recursive' && event.type !== 'children' && isBelow(event.path, path);
}
