/**
 * The watches of a PostgreSQL client. Each knows the entries it watches and the revision that last changed them, so
 * that after a reconnect it reads its part of the tree, compares, and tells exactly what changed meanwhile.
 */
import { isBelow, parentOf } from '../path.ts';
import type { WatchEvent, WatchScope } from '../registry.ts';

/** What a read found: the revision of the whole tree, and path and revision of each entry. */
export interface WatchRead {
  readonly revision: number;
  readonly entries: readonly (readonly [path: string, changed: number])[];
}

export class PostgresWatch {
  readonly path: string;
  readonly scope: WatchScope;
  readonly #listener: (event: WatchEvent) => void;
  #known = new Map<string, number>();
  /** Notifications up to here are part of what is known. */
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

  /** A notification: something was committed. */
  notify(revision: number, type: 'created' | 'changed' | 'deleted', path: string): void {
    if (revision <= this.#revision || !this.#concerns(path)) return;
    if (type === 'deleted') this.#known.delete(path);
    else this.#known.set(path, revision);
    this.#tell(type, path);
  }

  /** Takes the first read without a word; tells how each later one differs from what is known. */
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

  /** The link is back, and the caller may retry what failed. */
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

/** Watches by their path: a change finds its own, however many others there are. */
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

  /** Those on a path or above it. */
  above(path: string): PostgresWatch[] {
    const found: PostgresWatch[] = [];
    for (let at = path; ; at = parentOf(at)) {
      found.push(...(this.#byPath.get(at) ?? []));
      if (at === '/') return found;
    }
  }
}
