/**
 * A ZooKeeper client: one session over one connection at a time.
 *
 *   connecting -> connected -> connecting (link lost; the session goes on) -> … -> ended (expired, closed or refused)
 *
 * Requests fail with `CONNECTION_LOSS` while there is no connection.
 */
import type { Log } from '@orrery/core/log';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { fillOptions, type RegistryOptions, type TlsOptions } from '../options.ts';
import { SessionTracker } from '../session.ts';
import { Connection, type Host } from './connection.ts';
import type { JuteReader, JuteWriter } from './jute.ts';
import {
  createOpcode,
  type MultiOperation,
  type MultiResult,
  readMulti,
  writeCreate,
  writeMulti,
} from './multi.ts';
import { Pings } from './pings.ts';
import {
  type Acl,
  type CreateMode,
  OPEN_ACL,
  opcodes,
  readAcls,
  readStat,
  type Stat,
  writeAcls,
  xids,
  ZooKeeperError,
  type ZooKeeperEvent,
} from './records.ts';
import { WatchTable } from './watch-table.ts';

/** Credentials of a client; for `digest` the auth is `user:password`. */
export interface ZooKeeperAuth {
  readonly scheme: string;
  readonly auth: string;
}

/** Options of a ZooKeeper client. */
export interface ZooKeeperOptions extends RegistryOptions {
  /** Tried in random order. */
  readonly hosts: readonly Host[];
  /** Prefix of all paths; not created automatically. */
  readonly chroot?: string;
  readonly auth?: readonly ZooKeeperAuth[];
  /** Continues a session instead of opening one: the `identity` of the earlier client. */
  readonly resume?: { readonly id: bigint; readonly password: Buffer };
}

/** A node and its data. */
export interface NodeData {
  readonly data: Buffer;
  readonly stat: Stat;
}

const NEW_SESSION = { id: 0n, password: Buffer.alloc(16) };

export class ZooKeeperClient {
  readonly #hosts: readonly Host[];
  readonly #chroot: string;
  readonly #tls: TlsOptions | undefined;
  readonly #auth: ZooKeeperAuth[];
  readonly #wish: number;
  readonly clock: Clock;
  readonly #random: () => number;
  readonly #log: Log;
  readonly #pings: Pings;
  readonly #watches = new WatchTable();
  readonly #linkListeners = new Set<(up: boolean) => void>();
  #identity: { readonly id: bigint; readonly password: Buffer };
  #session: SessionTracker | undefined;
  #connection: Connection | undefined;
  #address = '';
  #lastZxid = 0n;
  #nextHost = 0;
  #retry: ClockTimer | undefined;
  #attempt: AbortController | undefined;
  #isEnded = false;

  private constructor(options: ZooKeeperOptions) {
    const filled = fillOptions(options);
    this.clock = filled.clock;
    this.#pings = new Pings(filled.clock);
    this.#random = filled.random;
    this.#log = filled.log;
    this.#wish = filled.sessionTimeout;
    this.#tls = options.tls;
    this.#hosts = shuffled(options.hosts, filled.random);
    this.#chroot = options.chroot === undefined || options.chroot === '/' ? '' : options.chroot;
    this.#auth = [...(options.auth ?? [])];
    this.#identity = options.resume ?? NEW_SESSION;
  }

  /** Connects and opens or resumes a session. Fails if no server accepts it within `connectTimeout`. */
  static async connect(options: ZooKeeperOptions): Promise<ZooKeeperClient> {
    const client = new ZooKeeperClient(options);
    const { connectTimeout, clock } = fillOptions(options);
    await new Promise<void>((resolve, reject) => {
      let last = 'no answer';
      const timer = clock.setTimer(connectTimeout, () => {
        client.#open = undefined;
        client.#end('not connected');
        reject(new Error(`ZooKeeper at ${client.#names()} cannot be reached: ${last}`));
      });
      client.#open = {
        done: () => {
          timer.cancel();
          resolve();
        },
        failed: (reason) => {
          last = reason;
        },
        ended: (reason) => {
          timer.cancel();
          reject(new Error(`ZooKeeper at ${client.#names()} let nobody in: ${reason}`));
        },
      };
      void client.#connect();
    });
    return client;
  }

  #open: { done: () => void; failed: (reason: string) => void; ended: (reason: string) => void } | undefined;

  /** The session with the client's own deadline; its id is ZooKeeper's, in hexadecimal. */
  get session(): SessionTracker {
    if (!this.#session) throw new Error('not connected yet');
    return this.#session;
  }

  /** Pass this as `resume` to another client to continue the session. */
  get identity(): { readonly id: bigint; readonly password: Buffer } {
    return this.#identity;
  }

  /** The connected server as `host:port`; empty while there is none. */
  get address(): string {
    return this.#connection ? this.#address : '';
  }

  /** The newest transaction id this client has seen. */
  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  /**
   * Calls the listener with false when the connection is lost, and with true when the session is connected
   * again.
   */
  onLink(listener: (up: boolean) => void): () => void {
    const own = (up: boolean) => listener(up);
    this.#linkListeners.add(own);
    return () => this.#linkListeners.delete(own);
  }

  async create(
    path: string,
    data: Uint8Array,
    mode: CreateMode = 'persistent',
    acl: readonly Acl[] = OPEN_ACL,
  ): Promise<{ path: string; stat: Stat }> {
    const created = await this.#ask(
      createOpcode(mode),
      path,
      (writer) => writeCreate(writer, { path: this.#absolute(path), data, mode, acl }),
      (reader) => ({ path: reader.text(), stat: readStat(reader) }),
    );
    return { ...created, path: this.#relative(created.path) };
  }

  /** Creates missing nodes from the top down to `path`, without data. Existing nodes stay unchanged. */
  ensure(path: string, mode: CreateMode = 'persistent', acl: readonly Acl[] = OPEN_ACL): Promise<void> {
    return this.#ensure(this.#chroot, path, mode, acl);
  }

  /** Creates the chroot itself. */
  ensureChroot(acl: readonly Acl[] = OPEN_ACL): Promise<void> {
    return this.#ensure('', this.#chroot, 'persistent', acl);
  }

  async #ensure(above: string, path: string, mode: CreateMode, acl: readonly Acl[]): Promise<void> {
    const names = path.split('/').filter(Boolean);
    for (const [k] of names.entries()) {
      const each = `${above}/${names.slice(0, k + 1).join('/')}`;
      const write = (writer: JuteWriter) =>
        writeCreate(writer, { path: each, data: Buffer.alloc(0), mode, acl });
      await this.#ask(createOpcode(mode), each, write, () => undefined).catch((error) => {
        // NO_AUTH: the parent belongs to others and must already exist.
        if (!isCode(error, 'NODE_EXISTS', 'NO_AUTH')) throw error;
      });
    }
  }

  /** The node's stat, or undefined if there is no node. */
  exists(path: string): Promise<Stat | undefined> {
    return orMissing(
      this.#ask(opcodes.exists, path, (writer) => this.#path(writer, path).bool(false), readStat),
    );
  }

  /** The node's data and stat, or undefined if there is no node. */
  getData(path: string): Promise<NodeData | undefined> {
    return orMissing(
      this.#ask(
        opcodes.getData,
        path,
        (writer) => this.#path(writer, path).bool(false),
        (reader) => ({ data: reader.bytes(), stat: readStat(reader) }),
      ),
    );
  }

  /** Names of the children in no order, and the node's stat; undefined if there is no node. */
  getChildren(path: string): Promise<{ names: string[]; stat: Stat } | undefined> {
    return orMissing(
      this.#ask(
        opcodes.getChildren2,
        path,
        (writer) => this.#path(writer, path).bool(false),
        (reader) => ({ names: reader.list(() => reader.text()), stat: readStat(reader) }),
      ),
    );
  }

  /** Number of nodes below `path`, at any depth. */
  countBelow(path: string): Promise<number> {
    return this.#ask(
      opcodes.getAllChildrenNumber,
      path,
      (writer) => this.#path(writer, path),
      (reader) => reader.int(),
    );
  }

  /** Paths of this session's ephemeral nodes that start with `prefix`. */
  async getEphemerals(prefix = '/'): Promise<string[]> {
    const paths = await this.#ask(
      opcodes.getEphemerals,
      prefix,
      (writer) => this.#path(writer, prefix),
      (reader) => reader.list(() => reader.text()),
    );
    return paths.map((path) => this.#relative(path));
  }

  setData(path: string, data: Uint8Array, version = -1): Promise<Stat> {
    return this.#ask(
      opcodes.setData,
      path,
      (writer) => this.#path(writer, path).bytes(data).int(version),
      readStat,
    );
  }

  delete(path: string, version = -1): Promise<void> {
    return this.#ask(
      opcodes.delete,
      path,
      (writer) => this.#path(writer, path).int(version),
      () => undefined,
    );
  }

  getAcl(path: string): Promise<{ acl: Acl[]; stat: Stat }> {
    return this.#ask(
      opcodes.getAcl,
      path,
      (writer) => this.#path(writer, path),
      (reader) => ({ acl: readAcls(reader), stat: readStat(reader) }),
    );
  }

  setAcl(path: string, acl: readonly Acl[], version = -1): Promise<Stat> {
    const write = (writer: JuteWriter) => {
      this.#path(writer, path);
      writeAcls(writer, acl);
      writer.int(version);
    };
    return this.#ask(opcodes.setAcl, path, write, readStat);
  }

  /** Waits until this server has applied all earlier commits; later reads are up to date. */
  sync(path = '/'): Promise<void> {
    return this.#ask(
      opcodes.sync,
      path,
      (writer) => this.#path(writer, path),
      () => undefined,
    );
  }

  /** Applies all operations or none; throws the failed operation's error, with its index in `step`. */
  async multi(operations: readonly MultiOperation[]): Promise<MultiResult[]> {
    if (operations.length === 0) return [];
    const absolute = operations.map((operation) => ({ ...operation, path: this.#absolute(operation.path) }));
    const results = await this.#ask(
      opcodes.multi,
      undefined,
      (writer) => writeMulti(writer, absolute),
      (reader, zxid) => readMulti(reader, zxid, operations),
    );
    return results.map((result) =>
      result.path === undefined ? result : { ...result, path: this.#relative(result.path) },
    );
  }

  /**
   * Watches a node until stopped: `persistent` for its data and children, `recursive` for the data of the
   * node and of all below it. The node need not exist. After a reconnect the listener gets `resync`, since
   * the server does not report changes made meanwhile.
   */
  async watch(
    path: string,
    mode: 'persistent' | 'recursive',
    listener: (event: ZooKeeperEvent) => void,
  ): Promise<() => void> {
    const absolute = this.#absolute(path);
    const watch = this.#watches.add(absolute, mode, (event) =>
      listener({ ...event, path: this.#relative(event.path) }),
    );
    const stop = () => {
      // Without a connection the server needs no removal: a reconnect sets only the watches in the table.
      if (this.#watches.remove(watch)) this.#removeWatch(absolute);
    };
    try {
      await this.#ask(
        opcodes.addWatch,
        path,
        (writer) => writer.text(absolute).int(this.#watches.modeOf(absolute) === 'recursive' ? 1 : 0),
        () => undefined,
      );
    } catch (error) {
      this.#watches.remove(watch);
      if (isCode(error, 'UNIMPLEMENTED')) throw new Error('persistent watches need ZooKeeper 3.6 or newer');
      throw error;
    }
    return stop;
  }

  /** Adds credentials to this session, kept across reconnects. */
  async addAuth(auth: ZooKeeperAuth): Promise<void> {
    this.#auth.push(auth);
    await this.#sendAuth(this.#link(undefined), auth);
  }

  /** Ends the session on the server, and with it its ephemeral nodes. */
  async close(): Promise<void> {
    if (this.#isEnded) return;
    const connection = this.#connection;
    const closed = connection?.request(
      opcodes.closeSession,
      () => {},
      () => undefined,
    );
    this.#pings.stop();
    if (closed) {
      const limit = this.clock.setTimer(this.session.timeout / 3, () => connection?.destroy());
      await closed.catch(() => undefined);
      limit.cancel();
    }
    this.#end('closed');
  }

  /** Disconnects without ending the session, so that another client can resume it. */
  abandon(): void {
    this.#end('abandoned');
  }

  #ask<T>(
    opcode: number,
    path: string | undefined,
    write: (writer: JuteWriter) => void,
    read: (reader: JuteReader, zxid: bigint) => T,
  ): Promise<T> {
    try {
      return this.#link(path).request(opcode, write, read, path);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #link(path: string | undefined): Connection {
    if (this.#isEnded) throw new ZooKeeperError('SESSION_EXPIRED', path);
    if (!this.#connection) throw new ZooKeeperError('CONNECTION_LOSS', path, { sent: false });
    return this.#connection;
  }

  #path(writer: JuteWriter, path: string): JuteWriter {
    return writer.text(this.#absolute(path));
  }

  #absolute(path: string): string {
    return path === '/' ? this.#chroot || '/' : this.#chroot + path;
  }

  #relative(path: string): string {
    return path.slice(this.#chroot.length) || '/';
  }

  async #connect(): Promise<void> {
    if (this.#isEnded) return;
    const host = this.#hosts[this.#nextHost++ % this.#hosts.length];
    const attempt = new AbortController();
    this.#attempt = attempt;
    const timeout = this.#session?.timeout ?? this.#wish;
    const limit = this.clock.setTimer(Math.max(timeout / 3, 1_000), () => attempt.abort());
    const started = this.clock.monotonic();
    const handshake = {
      lastZxid: this.#lastZxid,
      timeout: this.#wish,
      sessionId: this.#identity.id,
      password: this.#identity.password,
    };
    try {
      const { connection, agreement } = await Connection.open(
        host,
        this.#tls,
        handshake,
        () => this.clock.monotonic(),
        {
          answered: (sent, zxid) => this.#answered(connection, sent, zxid),
          event: (event) => this.#watches.tell(event),
          closed: (reason) => this.#disconnected(connection, reason),
        },
        attempt.signal,
      );
      if (this.#isEnded) connection.destroy();
      else if (agreement.sessionId === 0n) {
        connection.destroy();
        this.#end('expired');
      } else {
        this.#address = `${host.host}:${host.port}`;
        this.#identity = { id: agreement.sessionId, password: agreement.password };
        await this.#begin(connection, agreement.timeout, started);
      }
    } catch (error) {
      this.#retryAfter((error as Error).message);
    } finally {
      limit.cancel();
    }
  }

  /** After the handshake: credentials and watches first, then all requests. */
  async #begin(connection: Connection, timeout: number, started: number): Promise<void> {
    const first = this.#session === undefined;
    if (this.#session) this.#session.acknowledged(started, timeout);
    else this.#session = new SessionTracker(hex(this.#identity.id), timeout, this.clock, started);
    try {
      await Promise.all([
        ...this.#auth.map((auth) => this.#sendAuth(connection, auth)),
        ...this.#watches.chunks().map((chunk) => this.#setWatches(connection, chunk)),
      ]);
    } catch (error) {
      connection.destroy();
      if (isCode(error, 'AUTH_FAILED')) {
        this.#end('the credentials were refused');
        return;
      }
      throw error;
    }
    this.#connection = connection;
    this.#pings.start(connection, this.session);
    this.#open?.done();
    this.#open = undefined;
    if (first) return;
    for (const listener of [...this.#linkListeners]) listener(true);
    this.#watches.resync();
  }

  #sendAuth(connection: Connection, { scheme, auth }: ZooKeeperAuth): Promise<void> {
    return connection.request(
      opcodes.auth,
      (writer) => writer.int(0).text(scheme).bytes(Buffer.from(auth)),
      () => undefined,
      undefined,
      xids.auth,
    );
  }

  #setWatches(
    connection: Connection,
    { persistent, recursive }: { persistent: string[]; recursive: string[] },
  ): Promise<void> {
    return connection.request(
      opcodes.setWatches2,
      (writer) => {
        const texts = (paths: string[]) => writer.list(paths, (path) => writer.text(path));
        writer.long(this.#lastZxid);
        for (const paths of [[], [], [], persistent, recursive]) texts(paths);
      },
      () => undefined,
      undefined,
      xids.setWatches,
    );
  }

  #removeWatch(absolute: string): void {
    const anyKind = 3;
    const write = (writer: JuteWriter) => writer.text(absolute).int(anyKind);
    const removed = this.#connection?.request(opcodes.removeWatches, write, () => undefined);
    removed?.catch(() => undefined);
  }

  #answered(connection: Connection, sent: number, zxid: bigint): void {
    // Answers to pings also carry the server's newest transaction.
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    if (connection !== this.#connection) return;
    this.#session?.acknowledged(sent);
    this.#pings.answered(sent);
  }

  #disconnected(connection: Connection, reason: string): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#pings.stop();
    if (this.#isEnded) return;
    this.#log('warn', `lost the connection to ZooKeeper at ${this.#address}: ${reason}`);
    for (const listener of [...this.#linkListeners]) listener(false);
    void this.#connect();
  }

  /** Tries the next server: at once within a round of all servers, after a pause between rounds. */
  #retryAfter(reason: string): void {
    if (this.#isEnded) return;
    this.#open?.failed(reason);
    const isRoundOver = this.#nextHost % this.#hosts.length === 0;
    const pause = isRoundOver ? 50 + this.#random() * 200 : 1;
    this.#retry = this.clock.setTimer(pause, () => void this.#connect());
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#retry?.cancel();
    this.#pings.stop();
    this.#attempt?.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.destroy();
    this.#session?.end(reason);
    this.#open?.ended(reason);
    this.#open = undefined;
  }

  #names(): string {
    return this.#hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  }
}

/** Whether an error is ZooKeeper's error of this code. */
export function isCode(error: unknown, ...codes: string[]): error is ZooKeeperError {
  return error instanceof ZooKeeperError && codes.includes(error.code);
}

function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error) => {
    if (isCode(error, 'NO_NODE')) return undefined;
    throw error;
  });
}

function hex(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
