/**
 * The watches of a PostgreSQL client. Each knows its entries and the revision that last changed each. After a
 * reconnect it reads its part of the tree, compares, and reports exactly what changed meanwhile.
 */
import { isBelow, parentOf } from '../path.ts';
import type { WatchEvent, WatchScope } from '../registry.ts';

/** Result of a read: the revision of the whole tree, and the path and revision of each entry. */
export interface WatchRead {
  readonly revision: number;
  readonly entries: readonly (readonly [path: string, changed: number])[];
}

export class PostgresWatch {
  readonly path: string;
  readonly scope: WatchScope;
  readonly #listener: (event: WatchEvent) => void;
  #known = new Map<string, number>();
  /** The known entries include notifications up to this revision. */
  #revision = -1;
  #stopped = false;

  constructor(path: string, scope: WatchScope, listener: (event: WatchEvent) => void) {
    this.path = path;
    this.scope = scope;
    this.#listener = listener;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Handles the notification of a committed change. */
  notify(revision: number, type: 'created' | 'changed' | 'deleted', path: string): void {
    if (revision <= this.#revision || !this.#concerns(path)) return;
    if (type === 'deleted') this.#known.delete(path);
    else this.#known.set(path, revision);
    this.#tell(type, path);
  }

  /** Stores the first read silently; reports how each later read differs. */
  compare({ revision, entries }: WatchRead): void {
    const isFirst = this.#revision < 0;
    const before = this.#known;
    this.#known = new Map(entries);
    this.#revision = revision;
    if (isFirst) return;
    for (const path of before.keys()) if (!this.#known.has(path)) this.#tell('deleted', path);
    for (const [path, changed] of entries) {
      const known = before.get(path);
      if (known !== changed) this.#tell(known === undefined ? 'created' : 'changed', path);
    }
  }

  /** Reports that the link is back, so that the caller can retry failed requests. */
  resync(): void {
    this.#tell('resync', this.path);
  }

  #concerns(path: string): boolean {
    return path === this.path || (this.scope === 'subtree' && isBelow(path, this.path));
  }

  #tell(type: WatchEvent['type'], path: string): void {
    if (!this.#stopped) this.#listener({ type, path });
  }
}

/** Watches by path: finding those of a change does not depend on their total number. */
export class PostgresWatches {
  readonly #byPath = new Map<string, Set<PostgresWatch>>();

  add(watch: PostgresWatch): void {
    const here = this.#byPath.get(watch.path) ?? new Set();
    this.#byPath.set(watch.path, here.add(watch));
  }

  delete(watch: PostgresWatch): void {
    const here = this.#byPath.get(watch.path);
    here?.delete(watch);
    if (here?.size === 0) this.#byPath.delete(watch.path);
  }

  all(): PostgresWatch[] {
    return [...this.#byPath.values()].flatMap((here) => [...here]);
  }

  /** Watches of a path and of the paths above it. */
  above(path: string): PostgresWatch[] {
    const found: PostgresWatch[] = [];
    for (let at = path; ; at = parentOf(at)) {
      found.push(...(this.#byPath.get(at) ?? []));
      if (at === '/') return found;
    }
  }
}
