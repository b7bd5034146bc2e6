/**
 * The tree shared by clients of the memory registry: entries, sessions and watches in one process. It acts as
 * the server: it applies requests in the order they arrive, and expires a session that sends no ping for its
 * timeout.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { RegistryError } from '../errors.ts';
import { comparePaths, join, nameOf, parentOf, sequenceDigits } from '../path.ts';
import type { Entry, Operation, WatchEvent, WatchScope } from '../registry.ts';

/** The server's state of a session. */
interface MemorySession {
  readonly timeout: number;
  readonly owned: Set<string>;
  readonly watches: Set<MemoryWatch>;
  timer: ClockTimer;
}

/** One watch of one session. */
export interface MemoryWatch {
  readonly path: string;
  readonly scope: WatchScope;
  readonly notify: (event: WatchEvent) => void;
}

export class MemoryTree {
  readonly clock: Clock;
  /** The tree's name in URLs. */
  readonly name: string;
  readonly #entries = new Map<string, Entry>();
  readonly #names = new Map<string, Set<string>>([['/', new Set()]]);
  readonly #sessions = new Map<string, MemorySession>();
  /** Watches by path. */
  readonly #watches = new Map<string, Set<MemoryWatch>>();
  #revision = 0;
  #opened = 0;

  constructor(clock: Clock, name = '') {
    this.clock = clock;
    this.name = name;
  }

  /** Ids of the live sessions, oldest first. */
  get sessions(): string[] {
    return [...this.#sessions.keys()];
  }

  openSession(timeout: number): string {
    const id = `memory-${++this.#opened}`;
    const timer = this.#expireLater(id, timeout);
    this.#sessions.set(id, { timeout, owned: new Set(), watches: new Set(), timer });
    return id;
  }

  /** Records a ping; false if the session is gone. */
  ping(id: string): boolean {
    const session = this.#sessions.get(id);
    if (!session) return false;
    session.timer.cancel();
    session.timer = this.#expireLater(id, session.timeout);
    return true;
  }

  /** Ends a closed or expired session and deletes its ephemeral entries. */
  expire(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    session.timer.cancel();
    this.#sessions.delete(id);
    for (const watch of session.watches) this.#forget(watch);
    for (const path of [...session.owned].sort(comparePaths)) this.#remove(path);
  }

  get(id: string, path: string): Entry | undefined {
    this.#session(id);
    return this.#entries.get(path);
  }

  children(id: string, path: string): string[] {
    this.#session(id);
    return [...(this.#names.get(path) ?? [])].sort();
  }

  subtree(id: string, path: string): Entry[] {
    this.#session(id);
    const found: Entry[] = [];
    this.#collect(path, found);
    return found;
  }

  /**
   * Collects an entry and all below it in path order; the cost depends on the result, not on the tree's size.
   */
  #collect(path: string, found: Entry[]): void {
    const entry = this.#entries.get(path);
    if (entry) found.push(entry);
    for (const name of [...(this.#names.get(path) ?? [])].sort()) this.#collect(join(path, name), found);
  }

  watch(id: string, watch: MemoryWatch): void {
    this.#session(id).watches.add(watch);
    const here = this.#watches.get(watch.path) ?? new Set();
    this.#watches.set(watch.path, here.add(watch));
  }

  unwatch(id: string, watch: MemoryWatch): void {
    this.#sessions.get(id)?.watches.delete(watch);
    this.#forget(watch);
  }

  #forget(watch: MemoryWatch): void {
    const here = this.#watches.get(watch.path);
    here?.delete(watch);
    if (here?.size === 0) this.#watches.delete(watch.path);
  }

  /** Applies all steps or none. Each step sees the tree as the steps before it left it. */
  apply(id: string, operations: readonly Operation[]): (Entry | undefined)[] {
    this.#session(id);
    const undo: (() => void)[] = [];
    const events: WatchEvent[] = [];
    const revision = this.#revision;
    try {
      const results = operations.map((operation, step) => this.#step(id, operation, step, undo, events));
      for (const event of events) this.#tell(event);
      return results;
    } catch (error) {
      for (const back of undo.reverse()) back();
      this.#revision = revision;
      throw error;
    }
  }

  #step(
    id: string,
    operation: Operation,
    step: number,
    undo: (() => void)[],
    events: WatchEvent[],
  ): Entry | undefined {
    const { op, path } = operation;
    if (op === 'create') {
      const entry = this.#newEntry(id, operation, step);
      this.#put(entry);
      undo.push(() => this.#drop(entry));
      events.push({ type: 'created', path: entry.path });
      return entry;
    }
    const found = this.#entries.get(path);
    if (!found && path !== '/') throw new RegistryError('no-entry', { path, step });
    if (operation.version !== undefined && found?.version !== operation.version)
      throw new RegistryError('version', { path, step });
    if (op === 'check' || !found) return undefined;
    if (op === 'delete') {
      if (this.#names.get(path)?.size) throw new RegistryError('not-empty', { path, step });
      this.#revision++;
      this.#drop(found);
      undo.push(() => this.#put(found));
      events.push({ type: 'deleted', path });
      return undefined;
    }
    const entry = {
      ...found,
      value: operation.value,
      version: found.version + 1,
      changed: ++this.#revision,
    };
    this.#entries.set(path, entry);
    undo.push(() => this.#entries.set(path, found));
    events.push({ type: 'changed', path });
    return entry;
  }

  #newEntry(id: string, create: Operation & { op: 'create' }, step: number): Entry {
    const revision = ++this.#revision;
    const path = create.sequential ? create.path + sequenceDigits(revision) : create.path;
    const parent = parentOf(path);
    if (this.#entries.get(parent)?.owner !== undefined)
      throw new RegistryError('below-ephemeral', { path, step });
    if (!this.#names.has(parent)) throw new RegistryError('no-parent', { path, step });
    if (this.#entries.has(path)) throw new RegistryError('exists', { path, step });
    const owner = create.ephemeral ? id : undefined;
    return { path, value: create.value, version: 0, created: revision, changed: revision, owner };
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.path, entry);
    this.#names.get(parentOf(entry.path))?.add(nameOf(entry.path));
    if (entry.owner === undefined) this.#names.set(entry.path, new Set());
    else this.#sessions.get(entry.owner)?.owned.add(entry.path);
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.path);
    this.#names.get(parentOf(entry.path))?.delete(nameOf(entry.path));
    this.#names.delete(entry.path);
    if (entry.owner !== undefined) this.#sessions.get(entry.owner)?.owned.delete(entry.path);
  }

  #remove(path: string): void {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#revision++;
    this.#drop(entry);
    this.#tell({ type: 'deleted', path });
  }

  #tell(event: WatchEvent): void {
    for (let path = event.path; ; path = parentOf(path)) {
      for (const { scope, notify } of [...(this.#watches.get(path) ?? [])])
        if (scope === 'subtree' || path === event.path) notify(event);
      if (path === '/') return;
    }
  }

  #session(id: string): MemorySession {
    const session = this.#sessions.get(id);
    if (!session) throw new RegistryError('session-lost');
    return session;
  }

  #expireLater(id: string, timeout: number): ClockTimer {
    return this.clock.setTimer(timeout, () => this.expire(id));
  }
}
