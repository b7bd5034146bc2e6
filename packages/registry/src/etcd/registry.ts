/**
 * The registry on etcd: a session is a lease, an entry a key, an operation a transaction that also checks the session.
 *
 *   connecting -> connected -> connecting (next member; the session goes on) -> … -> ended (expired or closed)
 *
 * The lease is kept alive every sixth of its time; a third without an answer breaks the connection, so that another
 * member is tried before our deadline.
 */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { RegistryAddress } from '../address.ts';
import { RegistryError } from '../errors.ts';
import type { KeyValue, RangeRequestSchema } from '../generated/etcd/api_pb.ts';
import type { FilledOptions } from '../options.ts';
import { checkOperations, checkPath, comparePaths, isBelow, nameOf, parentOf } from '../path.ts';
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
import { asRegistryError, connect, type EtcdConnection, isPassing, isTokenOver } from './connection.ts';
import { EtcdKeys } from './keys.ts';
import { Outbox } from './outbox.ts';
import { EtcdTransaction, ownerOf, type Sequences } from './transaction.ts';
import { EtcdWatch } from './watch.ts';

const PINGS_PER_TIMEOUT = 6;
const SILENCE = 1 / 3;

export class EtcdRegistry implements Registry {
  readonly kind = 'etcd';
  readonly session: SessionTracker;
  readonly #members: Members;
  readonly #lease: bigint;
  readonly #keys: EtcdKeys;
  readonly clock: Clock;
  readonly #options: FilledOptions;
  readonly #sequences: Sequences = new Map();
  readonly #watches = new Set<EtcdWatch>();
  #connection: EtcdConnection | undefined;
  #pings = new Outbox<{ ID: bigint }>();
  #pingSent: number | undefined;
  #timer: ClockTimer | undefined;
  #isEnded = false;

  private constructor(
    members: Members,
    keys: EtcdKeys,
    lease: bigint,
    session: SessionTracker,
    options: FilledOptions,
  ) {
    this.#members = members;
    this.#keys = keys;
    this.#lease = lease;
    this.session = session;
    this.#options = options;
    this.clock = options.clock;
  }

  /** Connects to a member that answers, and opens a session. */
  static async open(address: RegistryAddress, options: FilledOptions): Promise<EtcdRegistry> {
    const { clock, connectTimeout, sessionTimeout } = options;
    const keys = new EtcdKeys(address.root);
    const members = new Members(address, options);
    const deadline = clock.monotonic() + connectTimeout;
    for (;;) {
      let connection: EtcdConnection | undefined;
      try {
        const timeoutMs = Math.max(1_000, Math.min(3_000, deadline - clock.monotonic()));
        connection = await members.connect(timeoutMs);
        const started = clock.monotonic();
        const call = { timeoutMs, signal: connection.signal };
        const ttl = BigInt(Math.ceil(sessionTimeout / 1_000));
        const { ID, TTL } = await connection.lease.leaseGrant({ TTL: ttl }, call);
        const session = new SessionTracker(ID.toString(16), Number(TTL) * 1_000, clock, started);
        const mark = { key: keys.session(session.id), value: Buffer.from(options.name), lease: ID };
        const put = { request: { case: 'requestPut' as const, value: mark } };
        await connection.kv.txn({ success: [put] }, call);
        const registry = new EtcdRegistry(members, keys, ID, session, options);
        registry.#begin(connection);
        return registry;
      } catch (error) {
        connection?.end();
        if (!isPassing(error) || clock.monotonic() >= deadline)
          throw new Error(`etcd at ${members} cannot be opened: ${(error as Error).message}`, {
            cause: error,
          });
        await new Promise<void>((resolve) => clock.setTimer(100, resolve));
      }
    }
  }

  get server(): string {
    return this.#connection?.address ?? '';
  }

  async get(path: string): Promise<Entry | undefined> {
    checkPath(path);
    const [kv] = await this.#range({ key: this.#keys.entry(path) });
    return kv && this.#entry(kv);
  }

  async children(path: string): Promise<string[]> {
    checkPath(path);
    const found = await this.#range({ ...this.#keys.below(path), keysOnly: true });
    const paths = found.map(({ key }) => this.#keys.path(key));
    return paths
      .filter((each) => parentOf(each) === path)
      .map(nameOf)
      .sort();
  }

  async subtree(path: string): Promise<Entry[]> {
    checkPath(path);
    const entries = (await this.#range(this.#keys.around(path))).map((kv) => this.#entry(kv));
    return entries
      .filter((entry) => entry.path === path || isBelow(entry.path, path))
      .sort((a, b) => comparePaths(a.path, b.path));
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
    const session = { id: this.session.id, lease: this.#lease };
    for (;;) {
      const transaction = new EtcdTransaction(this.#keys, operations, session, this.#sequences);
      const answer = await this.#ask(true, (connection, call) =>
        connection.kv.txn(transaction.request, call),
      );
      if (answer.succeeded) return transaction.results(answer, this.#sequences);
      const refusal = transaction.refusal(answer, this.#sequences);
      if (refusal) throw this.#ended(refusal);
    }
  }

  async watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch> {
    checkPath(path);
    const watch = new EtcdWatch(this.#keys, path, scope, listener);
    await this.#ask(false, (connection) => this.#follow(connection, watch));
    this.#watches.add(watch);
    return {
      stop: () => {
        watch.stop();
        this.#watches.delete(watch);
      },
    };
  }

  /** etcd does not report its time. */
  async serverTime(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#isEnded) return;
    this.#timer?.cancel();
    const connection = this.#connection;
    if (connection) {
      const call = { timeoutMs: this.session.timeout / 3, signal: connection.signal };
      await connection.lease.leaseRevoke({ ID: this.#lease }, call).catch(() => undefined);
    }
    this.#end('closed');
  }

  /** Reads in one transaction that also checks the session. */
  async #range(request: MessageInitShape<typeof RangeRequestSchema>): Promise<KeyValue[]> {
    const session = { key: this.#keys.session(this.session.id), keysOnly: true };
    const read = (value: typeof request) => ({ request: { case: 'requestRange' as const, value } });
    const { responses } = await this.#ask(false, (connection, call) =>
      connection.kv.txn({ success: [read(session), read(request)] }, call),
    );
    const [alive, found] = responses.map(({ response }) =>
      response.case === 'responseRange' ? response.value.kvs : [],
    );
    if (alive.length === 0) throw this.#ended(new RegistryError('session-lost'));
    return found;
  }

  #entry(kv: KeyValue): Entry {
    return {
      path: this.#keys.path(kv.key),
      value: Buffer.from(kv.value).toString(),
      version: Number(kv.version) - 1,
      created: Number(kv.createRevision),
      changed: Number(kv.modRevision),
      owner: ownerOf(kv.lease),
    };
  }

  async #ask<T>(
    write: boolean,
    ask: (connection: EtcdConnection, call: { timeoutMs: number; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const { lostBecause, timeout } = this.session;
    if (lostBecause !== undefined) throw new RegistryError('session-lost', { detail: lostBecause });
    const connection = this.#connection;
    if (!connection) throw new RegistryError('away');
    try {
      return await ask(connection, { timeoutMs: timeout, signal: connection.signal });
    } catch (error) {
      if (isTokenOver(error)) this.#disconnected(connection, 'the sign-in is over');
      throw this.#ended(asRegistryError(error, write));
    }
  }

  #ended(error: unknown): unknown {
    if (error instanceof RegistryError && error.reason === 'session-lost') this.#end('expired');
    return error;
  }

  #follow(connection: EtcdConnection, watch: EtcdWatch): Promise<void> {
    return watch.begin(connection, (error) => this.#disconnected(connection, (error as Error).message));
  }

  /** Makes this the session's connection. */
  #begin(connection: EtcdConnection): void {
    this.#connection = connection;
    this.#pings = new Outbox();
    this.#pingSent = undefined;
    void this.#hear(connection, this.#pings);
    this.#ping();
  }

  async #hear(connection: EtcdConnection, pings: Outbox<{ ID: bigint }>): Promise<void> {
    let reason = 'the server ended the connection';
    try {
      for await (const { TTL } of connection.lease.leaseKeepAlive(pings, { signal: connection.signal })) {
        if (connection !== this.#connection) return;
        if (TTL <= 0n) {
          this.#end('expired');
          return;
        }
        const sent = this.#pingSent;
        this.#pingSent = undefined;
        if (sent !== undefined) this.session.acknowledged(sent);
      }
    } catch (error) {
      reason = (error as Error).message;
    }
    this.#disconnected(connection, reason);
  }

  #ping(): void {
    if (this.#pingSent === undefined) {
      this.#pingSent = this.clock.monotonic();
      this.#pings.push({ ID: this.#lease });
    }
    this.#timer?.cancel();
    const every = this.session.timeout / PINGS_PER_TIMEOUT;
    const due = this.clock.monotonic() + every;
    this.#timer = this.clock.setTimer(every, () => {
      const now = this.clock.monotonic();
      const silence = this.#pingSent === undefined ? 0 : now - this.#pingSent;
      // A process that was suspended reads the answers already waiting first.
      const isLate = now - due > this.session.timeout / 12;
      if (silence > this.session.timeout * SILENCE && !isLate && this.#connection)
        this.#disconnected(this.#connection, `no answer for ${Math.round(silence)} ms`);
      else this.#ping();
    });
  }

  #disconnected(connection: EtcdConnection, reason: string): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#timer?.cancel();
    this.#pings.end();
    connection.end();
    if (this.#isEnded) return;
    this.#options.log('warn', `lost the connection to etcd at ${connection.address}: ${reason}`);
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isEnded) {
      let connection: EtcdConnection | undefined;
      try {
        connection = await this.#members.connect(Math.max(1_000, this.session.timeout / 3));
        await this.#resume(connection);
        return;
      } catch {
        connection?.end();
        const pause = this.#members.isRoundOver ? 50 + this.#options.random() * 200 : 1;
        await new Promise<void>((resolve) => {
          this.#timer = this.clock.setTimer(pause, resolve);
        });
      }
    }
  }

  /** Renews the lease, which proves that the member has a leader; other members are not used. */
  async #resume(connection: EtcdConnection): Promise<void> {
    const limit = this.clock.setTimer(Math.max(1_000, this.session.timeout / 3), () => connection.end());
    try {
      const sent = this.clock.monotonic();
      const once = new Outbox<{ ID: bigint }>();
      once.push({ ID: this.#lease });
      once.end();
      let isAlive: boolean | undefined;
      for await (const { TTL } of connection.lease.leaseKeepAlive(once, { signal: connection.signal }))
        isAlive = TTL > 0n;
      if (isAlive === undefined) throw new Error('no answer');
      if (!isAlive) this.#end('expired');
      if (this.#isEnded) {
        connection.end();
        return;
      }
      this.session.acknowledged(sent);
      this.#begin(connection);
      await Promise.all([...this.#watches].map((watch) => this.#follow(connection, watch)));
    } finally {
      limit.cancel();
    }
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    for (const watch of this.#watches) watch.stop();
    this.#pings.end();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.end();
    this.session.end(reason);
  }
}

/** The members of the cluster, tried in turn from a random one. */
class Members {
  readonly #address: RegistryAddress;
  readonly #options: FilledOptions;
  #next: number;
  #tried = 0;

  constructor(address: RegistryAddress, options: FilledOptions) {
    this.#address = address;
    this.#options = options;
    this.#next = Math.floor(options.random() * address.hosts.length);
  }

  /** Whether every member was tried equally often. */
  get isRoundOver(): boolean {
    return this.#tried % this.#address.hosts.length === 0;
  }

  connect(timeoutMs: number): Promise<EtcdConnection> {
    const { hosts, user, password, tls } = this.#address;
    this.#tried++;
    const host = hosts[this.#next++ % hosts.length];
    const account = user === undefined ? undefined : { name: user, password: password ?? '' };
    return connect(host, tls ?? this.#options.tls, account, timeoutMs);
  }

  toString(): string {
    return this.#address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  }
}
