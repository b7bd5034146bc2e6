/**
 * The registry: a tree of small values that coordinates nodes. It knows who is alive, who leads and who should fire
 * what. Four implementations (memory, PostgreSQL, ZooKeeper, etcd) keep this one contract; a conformance suite runs
 * on all of them. One `Registry` is one session: after the session is lost, open another.
 */
import type { Clock } from '@orrery/core/timing';

/** Which implementation answers. */
export type RegistryKind = 'memory' | 'postgres' | 'zookeeper' | 'etcd';

/**
 * One node of the tree. Paths are absolute, `/` separates names, the root `/` always exists and holds no value.
 * `created` and `changed` order entries of one registry; never compare them with numbers of the store.
 */
export interface Entry {
  readonly path: string;
  readonly value: string;
  /** 0 when created, one more with every `set`. It restarts when the entry is deleted and created again. */
  readonly version: number;
  /** Grows from one creation to the next; entries created by one transaction may share it. */
  readonly created: number;
  /** Grows with every write to the tree; the write that last set this value. */
  readonly changed: number;
  /** The id of the session the entry ends with; undefined for a permanent one. */
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
 * One step of a transaction. Versions that are left out are not compared. A transaction writes each path at most once,
 * and deletes no entry together with one below it. A create may name as parent an entry that an earlier step creates.
 */
export type Operation =
  /** The entry exists (and has this version). */
  | { readonly op: 'check'; readonly path: string; readonly version?: number }
  | ({ readonly op: 'create'; readonly path: string; readonly value: string } & CreateOptions)
  | { readonly op: 'set'; readonly path: string; readonly value: string; readonly version?: number }
  | { readonly op: 'delete'; readonly path: string; readonly version?: number };

/**
 * What a watch tells. An event is a hint: read again, and act on what you read. Every change after `watch` resolved is
 * followed by an event for its path or by a `resync`; several changes of one path may share an event. `resync` means
 * that changes may have been missed, as after a reconnect: read everything that is watched.
 */
export interface WatchEvent {
  readonly type: 'created' | 'changed' | 'deleted' | 'resync';
  /** The entry that changed; for `resync` the watched path. */
  readonly path: string;
}

/** What is watched: the entry itself (it need not exist yet), or the entry and everything below it. */
export type WatchScope = 'entry' | 'subtree';

/** A running watch. It ends with its session; `stop` ends it sooner. */
export interface Watch {
  stop(): void;
}

/**
 * The state of a session, by our own deadline: two thirds of the negotiated timeout after the start of the last ping
 * that was acknowledged, by the monotonic clock.
 *
 *   connected --(deadline passes)--> suspended --(a ping is acknowledged)--> connected
 *   connected | suspended --(the server says that the session is gone, or it was closed)--> lost
 *
 * A short disconnect does not suspend. Only `connected` allows acting for the session: in `suspended` it may already
 * be gone on the server, and others may act in its place. `lost` is final.
 */
export type SessionState = 'connected' | 'suspended' | 'lost';

/** This client's session: its ephemeral entries live exactly as long. */
export interface Session {
  /** Equal to `owner` of its ephemeral entries. Never given to another session. */
  readonly id: string;
  /** Milliseconds that the server agreed to; it may differ from what was asked for. */
  readonly timeout: number;
  /** Computed at the moment of asking, so it is right in the first turn after the process was frozen. */
  readonly state: SessionState;
  /** Milliseconds until the deadline; 0 or less when it has passed or the session is lost. */
  remaining(): number;
  /** Why the session is lost; undefined while it is not. */
  readonly lostBecause: string | undefined;
  /** Calls the listener at every change of state. Returns the function that removes it. */
  onState(listener: (state: SessionState) => void): () => void;
}

/**
 * A client of the registry and its session.
 *
 * Every operation belongs to the session: once that is gone it fails with `RegistryError` `session-lost`, checked by
 * the server together with the write. While the server cannot be reached an operation fails with `away`; `unknown`
 * then says whether a write may have been made. Watches get a `resync` after the link is back: a good moment to retry.
 *
 * Use `version` for compare-and-set only on entries that are never deleted. Identify others by a name that is never
 * used again, such as a sequential one.
 */
export interface Registry {
  readonly kind: RegistryKind;
  /** Where it is connected, for people: never holds credentials. */
  readonly server: string;
  readonly session: Session;
  /** The clock this client was opened with. */
  readonly clock: Clock;

  /** The entry, or undefined. */
  get(path: string): Promise<Entry | undefined>;
  /** The names of the entries directly below, sorted; empty when there are none or `path` does not exist. */
  children(path: string): Promise<string[]>;
  /**
   * The entry and all below it, sorted by path; empty when `path` does not exist. One snapshot, except on ZooKeeper,
   * which reads entry by entry.
   */
  subtree(path: string): Promise<Entry[]>;

  /** Fails with `exists`, `no-parent` or `below-ephemeral`. The path of the answer includes the sequence number. */
  create(path: string, value: string, options?: CreateOptions): Promise<Entry>;
  /** Fails with `no-entry` or `version`. */
  set(path: string, value: string, version?: number): Promise<Entry>;
  /** Fails with `no-entry`, `version` or `not-empty`. */
  delete(path: string, version?: number): Promise<void>;
  /**
   * All steps or none. Answers, step by step, the entry after a create or set, else undefined. When a step cannot be
   * made, fails with that step's reason; `RegistryError.step` is its index. Forty steps fit every implementation.
   */
  transaction(operations: readonly Operation[]): Promise<(Entry | undefined)[]>;

  /** Resolves when the watch is in place: read after that. */
  watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch>;

  /** The server's wall clock in epoch milliseconds; undefined where it cannot be asked for. */
  serverTime(): Promise<number | undefined>;

  /** Ends the session at once, and with it its ephemeral entries. Never fails: a server out of reach expires it. */
  close(): Promise<void>;
}
