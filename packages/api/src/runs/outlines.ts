/** Caches the task names of versions: the part of workflows that lists need. */
import { backfillTask } from '@orrery/core/run';
import type { Store, VersionRef } from '@orrery/store';

/** Names of tasks kept at most over all versions; what was unused for longest goes first. */
const MOST_NAMES = 500_000;

/** Reads the names of a version once. */
export class Outlines {
  private readonly store: Store;
  private readonly known = new Map<string, readonly string[]>();
  private names = 0;

  constructor(store: Store) {
    this.store = store;
  }

  /** Reads missing versions in one call. The returned function maps a version to its names. */
  async read(versions: readonly VersionRef[]): Promise<(version: VersionRef) => readonly string[]> {
    const wanted = new Map(versions.map((version) => [keyOf(version), version]));
    const missing = [...wanted].filter(([key]) => !this.known.has(key)).map(([, version]) => version);
    const found = new Map<string, readonly string[]>();
    for (const key of wanted.keys()) found.set(key, this.known.get(key) ?? []);
    if (missing.length > 0) {
      for (const { tasks, ...version } of await this.store.readOutlines({ versions: missing }))
        found.set(keyOf(version), tasks);
    }
    for (const [key, tasks] of found) this.keep(key, tasks);
    return (version) => found.get(keyOf(version)) ?? [];
  }

  private keep(key: string, tasks: readonly string[]): void {
    this.drop(key);
    this.known.set(key, tasks);
    this.names += tasks.length + 1;
    for (const oldest of this.known.keys()) {
      if (this.names <= MOST_NAMES || oldest === key) break;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const tasks = this.known.get(key);
    if (!tasks) return;
    this.known.delete(key);
    this.names -= tasks.length + 1;
  }
}

/** The names of the tasks of a run, from those of its workflow: a backfill has one of its own instead. */
export function tasksOfKind(kind: string, names: readonly string[]): readonly string[] {
  return kind === 'backfill' ? [backfillTask] : names;
}

const all = new WeakMap<Store, Outlines>();

/** The outlines of a store: one cache for lists, live changes and reasons alike. */
export function outlinesOf(store: Store): Outlines {
  let known = all.get(store);
  if (!known) {
    known = new Outlines(store);
    all.set(store, known);
  }
  return known;
}

function keyOf({ workflow, version }: VersionRef): string {
  return `${workflow}.${version}`;
}
