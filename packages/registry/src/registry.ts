/**
 * The registry: a tree of small values that coordinates nodes. It knows which nodes are alive, which one
 * leads, and which should fire what. Four implementations (memory, PostgreSQL, ZooKeeper, etcd) keep this one
 * contract; a conformance suite runs on all of them. One `Registry` is one session: after the session is
 * lost, open another.
 */
import type { Clock } from '@orrery/core/timing';

/** Name of an implementation. */
export type RegistryKind = 'memory' | 'postgres' | 'zookeeper' | 'etcd';

/**
 * One node of the tree. Paths are absolute, `/` separates names; the root `/` always exists and holds no
 * value. `created` and `changed` order the entries of one registry; never compare them with numbers of the
 * store.
 */
export interface Entry {
  readonly path: string;
  readonly value: string;
  /** 0 when created, incremented by every `set`. It restarts when the entry is deleted and created again. */
  readonly version: number;
  /** Increases with every creation; entries created by one transaction may share it. */
  readonly created: number;
  /** Number of the write that last set this value; it increases with every write to the tree. */
  readonly changed: number;
  /** Id of the session that owns the entry, which ends with it; undefined for a permanent entry. */
  readonly owner: string | undefined;
}

/** How an entry is created. */
export interface CreateOptions {
  /** The entry is deleted when this session ends. Nothing may be created below it. */
  readonly ephemeral?: boolean;
  /**
   * Appends ten digits to the path, greater than those of every sequential entry created before it under the same
   * parent. The name is never reused while the parent exists. `sequenceOf` reads the number back.
   */
  readonly sequential?: boolean;
}

/**
 * One step of a transaction. An omitted version is not compared. A transaction writes each path at most once,
 * and never deletes an entry together with one below it. A create may name a parent that an earlier step
 * creates.
 */
export type Operation =
  /** The entry exists, and has this version if one is given. */
  | { readonly op: 'check'; readonly path: string; readonly version?: number }
  | ({ readonly op: 'create'; readonly path: string; readonly value: string } & CreateOptions)
  | { readonly op: 'set'; readonly path: string; readonly value: string; readonly version?: number }
  | { readonly op: 'delete'; readonly path: string; readonly version?: number };

/**
 * An event of a watch. It is a hint: read again, and act on what you read. Every change after `watch`
 * resolved is followed by an event for its path or by a `resync`; several changes of one path may share an
 * event. `resync` means that changes may have been missed, as after a reconnect: read everything you watch.
 */
export interface WatchEvent {
  readonly type: 'created' | 'changed' | 'deleted' | 'resync';
  /** The changed entry; for `resync` the watched path. */
  readonly path: string;
}

/** Scope of a watch: the entry itself, which need not exist yet, or the entry and everything below it. */
export type WatchScope = 'entry' | 'subtree';

/** A running watch. It ends with its session; `stop` ends it sooner. */
export interface Watch {
  stop(): void;
}

/**
 * The state of a session, by the client's own deadline: two thirds of the negotiated timeout after the start
 * of the
 * last acknowledged ping, by the monotonic clock.
 *
 *   connected --(deadline passes)--> suspended --(a ping is acknowledged)--> connected
 *   connected | suspended --(the server says that the session is gone, or it was closed)--> lost
 *
 * A short disconnect does not suspend the session. Act for the session only while it is `connected`: in
 * `suspended` it
 * may already be gone on the server, and others may act in its place. `lost` is final.
 */
export type SessionState = 'connected' | 'suspended' | 'lost';

/** This client's session. Its ephemeral entries live exactly as long as it does. */
export interface Session {
  /** Equals `owner` of its ephemeral entries. Never given to another session. */
  readonly id: string;
  /** Milliseconds granted by the server; may differ from the request. */
  readonly timeout: number;
  /** Computed on every read, so it is right in the first turn after the process was frozen. */
  readonly state: SessionState;
  /** Milliseconds until the deadline; 0 or less when it has passed or the session is lost. */
  remaining(): number;
  /** Why the session is lost; undefined while it is not. */
  readonly lostBecause: string | undefined;
  /** Calls the listener at every change of state. Returns a function that removes it. */
  onState(listener: (state: SessionState) => void): () => void;
}

/**
 * A client of the registry and its session.
 *
 * Every operation belongs to the session: once the session is gone, operations fail with `RegistryError`
 * `session-lost`, checked by the server together with the write. While the server is unreachable, operations
 * fail with
 * `away`; `unknown` then says whether a write may have been made. Watches get a `resync` after the link is
 * back: a good
 * moment to retry.
 *
 * Use `version` for compare-and-set only on entries that are never deleted. Identify others by a name that is
 * never
 * used again, such as a sequential one.
 */
export interface Registry {
  readonly kind: RegistryKind;
  /** The server's address, for people: never contains credentials. */
  readonly server: string;
  readonly session: Session;
  /** The clock this client was opened with. */
  readonly clock: Clock;

  /** The entry, or undefined. */
  get(path: string): Promise<Entry | undefined>;
  /** Sorted names of the entries directly below; empty if there are none or `path` does not exist. */
  children(path: string): Promise<string[]>;
  /**
   * The entry and all below it, sorted by path; empty if `path` does not exist. One snapshot, except on
   * ZooKeeper, which reads entry by entry.
   */
  subtree(path: string): Promise<Entry[]>;

  /**
   * Fails with `exists`, `no-parent` or `below-ephemeral`. The answer's path includes the sequence number.
   */
  create(path: string, value: string, options?: CreateOptions): Promise<Entry>;
  /** Fails with `no-entry` or `version`. */
  set(path: string, value: string, version?: number): Promise<Entry>;
  /** Fails with `no-entry`, `version` or `not-empty`. */
  delete(path: string, version?: number): Promise<void>;
  /**
   * Applies all steps or none. Answers, step by step, the entry after a create or set, else undefined. If a
   * step fails, the transaction fails with that step's reason; `RegistryError.step` is its index. Forty steps
   * fit every implementation.
   */
  transaction(operations: readonly Operation[]): Promise<(Entry | undefined)[]>;

  /** Resolves when the watch is in place: read after that. */
  watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch>;

  /** The server's wall clock in epoch milliseconds; undefined if the server does not report it. */
  serverTime(): Promise<number | undefined>;

  /**
   * Ends the session at once, and with it its ephemeral entries. Never fails: an unreachable server expires
   * the session.
   */
  close(): Promise<void>;
}
