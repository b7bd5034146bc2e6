/**
 * A copy of a subtree that follows the registry: it watches, and reads again at every hint. Hints during a
 * read are coalesced into one more read. The copy lags behind; decide races with a transaction, never with
 * the copy.
 */
import { isBelow } from './path.ts';
import type { Entry, Registry, Watch, WatchEvent } from './registry.ts';

/** Differences between a read and the one before. */
export interface ViewChange {
  readonly type: 'added' | 'changed' | 'removed';
  readonly entry: Entry;
}

export class SubtreeView {
  readonly #registry: Registry;
  readonly #path: string;
  readonly #listener: ((changes: readonly ViewChange[]) => void) | undefined;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #watch: Watch | undefined;
  /** What to read again: everything, or these paths. */
  #stale: 'all' | Set<string> = 'all';
  #isReading = false;
  #stopped = false;

  private constructor(
    registry: Registry,
    path: string,
    listener: ((changes: readonly ViewChange[]) => void) | undefined,
  ) {
    this.#registry = registry;
    this.#path = path;
    this.#listener = listener;
  }

  /** Resolves after the first read. The listener receives the differences of later reads. */
  static async open(
    registry: Registry,
    path: string,
    listener?: (changes: readonly ViewChange[]) => void,
  ): Promise<SubtreeView> {
    const view = new SubtreeView(registry, path, listener);
    view.#watch = await registry.watch(path, 'subtree', (event) => view.#hint(event));
    view.#entries = mapOf(await registry.subtree(path));
    view.#stale = new Set();
    return view;
  }

  /** The entries as last read, in path order. */
  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
  }

  get #hasStale(): boolean {
    return this.#stale === 'all' || this.#stale.size > 0;
  }

  #hint({ type, path }: WatchEvent): void {
    if (type === 'resync') this.#stale = 'all';
    else if (this.#stale !== 'all') this.#stale.add(path);
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    // Hints of one turn share a read.
    await Promise.resolve();
    while (!this.#stopped && this.#hasStale) {
      const stale = this.#stale;
      this.#stale = new Set();
      try {
        await this.#read(stale);
      } catch {
        // Away, or the session is over: a resync follows when the server is back, or came during this read.
        const isBack = this.#hasStale;
        this.#stale = 'all';
        if (!isBack) break;
      }
    }
    this.#isReading = false;
  }

  async #read(stale: 'all' | ReadonlySet<string>): Promise<void> {
    const next =
      stale === 'all' || stale.size > FEW
        ? mapOf(await this.#registry.subtree(this.#path))
        : await this.#readSome(stale);
    const changes = compare(this.#entries, next);
    this.#entries = next;
    if (changes.length > 0 && !this.#stopped) this.#listener?.(changes);
  }

  async #readSome(paths: ReadonlySet<string>): Promise<Map<string, Entry>> {
    const read = await Promise.all([...paths].map((path) => this.#registry.get(path)));
    const next = new Map(this.#entries);
    for (const path of paths) next.delete(path);
    for (const entry of read) if (entry) next.set(entry.path, entry);
    return mapOf([...next.values()].filter(({ path }) => path === this.#path || isBelow(path, this.#path)));
  }
}

/** Above this number of paths, one read of the subtree costs less than single reads. */
const FEW = 8;

function mapOf(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map((entry) => [entry.path, entry]));
}

function compare(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): ViewChange[] {
  const changes: ViewChange[] = [];
  for (const entry of before.values()) if (!after.has(entry.path)) changes.push({ type: 'removed', entry });
  for (const entry of after.values()) {
    const old = before.get(entry.path);
    if (!old) changes.push({ type: 'added', entry });
    else if (old.changed !== entry.changed || old.created !== entry.created)
      changes.push({ type: 'changed', entry });
  }
  return changes;
}
