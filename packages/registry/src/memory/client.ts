/**
 * A client of a `MemoryTree`: the registry of one process and, with a virtual clock and injected faults, of
 * the simulation. It pings every third of its timeout, more often on a broken connection; requests fail as
 * `away` at the deadline.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { RegistryError } from '../errors.ts';
import { checkOperations, checkPath } from '../path.ts';
import type {
  CreateOptions,
  Entry,
  Operation,
  Registry,
  Watch,
  WatchEvent,
  WatchScope,
} from '../registry.ts';
import { SessionTracker } from '../session.ts';
import { type MemoryFaults, MemoryLink } from './link.ts';
import type { MemoryTree, MemoryWatch } from './tree.ts';

/** Options of a memory client; the simulation passes the node's own clock and delivery. */
export interface MemoryClientOptions {
  /** Session timeout in milliseconds, used as given. */
  readonly sessionTimeout?: number;
  /** The node's clock; default: the tree's. */
  readonly clock?: Clock;
  /** Carries a message between client and tree, later and in order; default: a microtask. */
  readonly deliver?: (run: () => void) => void;
}

/** A request in flight. */
interface Pending {
  readonly write: boolean;
  readonly fail: (error: RegistryError) => void;
}

export class MemoryRegistry implements Registry {
  readonly kind = 'memory';
  readonly server: string;
  readonly session: SessionTracker;
  /** Faults that tests inject into the connection. */
  readonly faults: MemoryFaults;
  readonly #tree: MemoryTree;
  readonly clock: Clock;
  readonly #link: MemoryLink;
  readonly #pending = new Set<Pending>();
  readonly #watches = new Set<MemoryWatch>();
  #timer: ClockTimer | undefined;
  /** Requests have failed as `away` since the last resync. */
  #hasFailed = false;

  constructor(tree: MemoryTree, options: MemoryClientOptions = {}) {
    this.#tree = tree;
    this.clock = options.clock ?? tree.clock;
    this.#link = new MemoryLink(this.clock, options.deliver ?? queueMicrotask);
    this.faults = this.#link;
    this.server = `memory:${tree.name}`;
    const timeout = options.sessionTimeout ?? 3_000;
    this.session = new SessionTracker(tree.openSession(timeout), timeout, this.clock, this.clock.monotonic());
    this.#pingLater();
  }

  async get(path: string): Promise<Entry | undefined> {
    checkPath(path);
    return this.#ask(false, () => this.#tree.get(this.session.id, path));
  }

  async children(path: string): Promise<string[]> {
    checkPath(path);
    return this.#ask(false, () => this.#tree.children(this.session.id, path));
  }

  async subtree(path: string): Promise<Entry[]> {
    checkPath(path);
    return this.#ask(false, () => this.#tree.subtree(this.session.id, path));
  }

  async create(path: string, value: string, options: CreateOptions = {}): Promise<Entry> {
    return (await this.transaction([{ op: 'create', path, value, ...options }]))[0] as Entry;
  }

  async set(path: string, value: string, version?: number): Promise<Entry> {
    return (await this.transaction([{ op: 'set', path, value, version }]))[0] as Entry;
  }

  async delete(path: string, version?: number): Promise<void> {
    await this.transaction([{ op: 'delete', path, version }]);
  }

  async transaction(operations: readonly Operation[]): Promise<(Entry | undefined)[]> {
    checkOperations(operations);
    const copy = operations.map((operation) => ({ ...operation }));
    return this.#ask(true, () => this.#tree.apply(this.session.id, copy));
  }

  async watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch> {
    checkPath(path);
    let stopped = false;
    const notify = (event: WatchEvent) => {
      if (!stopped && this.session.lostBecause === undefined) listener(event);
    };
    const watch = { path, scope, notify };
    const onServer = { ...watch, notify: (event: WatchEvent) => void this.#link.answer(() => notify(event)) };
    await this.#ask(false, () => this.#tree.watch(this.session.id, onServer));
    this.#watches.add(watch);
    return {
      stop: () => {
        stopped = true;
        this.#watches.delete(watch);
        this.#link.request(() => this.#tree.unwatch(this.session.id, onServer));
      },
    };
  }

  serverTime(): Promise<number> {
    return this.#ask(false, () => this.#tree.clock.now());
  }

  async close(): Promise<void> {
    if (this.session.lostBecause !== undefined) return;
    this.#timer?.cancel();
    await new Promise<void>((resolve) => {
      if (!this.#link.request(() => resolve(this.#tree.expire(this.session.id)))) resolve();
    });
    this.#end('closed');
  }

  #ask<T>(write: boolean, work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.session.lostBecause !== undefined) {
        reject(new RegistryError('session-lost', { detail: this.session.lostBecause }));
        return;
      }
      const pending = { write, fail: reject };
      this.#pending.add(pending);
      const settle = (run: () => void) =>
        this.#link.answer(() => {
          if (this.#pending.delete(pending)) run();
        });
      this.#link.request(() => {
        try {
          const result = work();
          settle(() => resolve(result));
        } catch (error) {
          settle(() => {
            reject(error);
            if (error instanceof RegistryError && error.reason === 'session-lost') this.#end('expired');
          });
        }
      });
    });
  }

  #pingLater(): void {
    const part = this.#link.broken ? 12 : 3;
    this.#timer = this.clock.setTimer(this.session.timeout / part, () => this.#ping());
  }

  #ping(): void {
    const started = this.clock.monotonic();
    if (this.session.state === 'suspended') this.#failPending();
    this.#link.request(() => {
      const alive = this.#tree.ping(this.session.id);
      this.#link.answer(() => (alive ? this.#acknowledge(started) : this.#end('expired')));
    });
    this.#pingLater();
  }

  #acknowledge(started: number): void {
    this.session.acknowledged(started);
    if (!this.#link.broken && !this.#hasFailed) return;
    if (this.#link.broken) this.#failPending();
    this.#link.broken = false;
    this.#hasFailed = false;
    for (const { path, notify } of [...this.#watches]) notify({ type: 'resync', path });
  }

  #failPending(): void {
    // Also on a slow link that drops nothing: a caller whose request failed as `away` waits for a resync.
    if (this.#pending.size > 0) this.#hasFailed = true;
    for (const { write, fail } of this.#pending) fail(new RegistryError('away', { unknown: write }));
    this.#pending.clear();
  }

  #end(reason: string): void {
    this.#timer?.cancel();
    for (const { fail } of this.#pending) fail(new RegistryError('session-lost', { detail: reason }));
    this.#pending.clear();
    this.session.end(reason);
  }
}
