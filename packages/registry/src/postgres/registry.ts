/**
 * The registry in PostgreSQL: no further service to run. It has one connection of its own, a small schema,
 * and
 * LISTEN/NOTIFY for hints.
 *
 *   connecting -> connected -> connecting (the session goes on) -> … -> ended (expired by others, or closed)
 *
 * A client beats every third of the shortest session timeout, at least once a second, and expires sessions that were
 * silent for theirs.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type pg from 'pg';
import { publicUrl } from '../address.ts';
import { RegistryError } from '../errors.ts';
import type { FilledOptions } from '../options.ts';
import { checkOperations, checkPath, comparePaths, nameOf, parentOf } from '../path.ts';
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
import {
  asRegistryError,
  connect,
  isPassing,
  isRefusal,
  type PostgresConnection,
  type PostgresTarget,
  refuseTransactionPooling,
} from './connection.ts';
import { GroupCommit, type GroupedWrite } from './group-commit.ts';
import { Observations, type SeenSession } from './observations.ts';
import { createSchema } from './schema.ts';
import { PostgresWatch, PostgresWatches, type WatchRead } from './watches.ts';

const DEFAULT_SCHEMA = 'orrery_registry';

/** The result of one transaction: for each step the entry without its value. */
type Applied = readonly (Omit<Entry, 'value'> | null)[];

export class PostgresRegistry implements Registry {
  readonly kind = 'postgres';
  readonly server: string;
  readonly session: SessionTracker;
  readonly #target: PostgresTarget;
  readonly #schema: string;
  readonly clock: Clock;
  readonly #options: FilledOptions;
  readonly #watches = new PostgresWatches();
  readonly #writes = new GroupCommit<Applied>({ send: (group) => this.#apply(group), isRefusal });
  #isComparing = false;
  #isCompareAsked = false;
  readonly #observations = new Observations();
  #connection: PostgresConnection | undefined;
  #timer: ClockTimer | undefined;
  #beatSent: number | undefined;
  #shortest: number;
  /** The newest revision with all notifications received, and the newest revision a beat returned. */
  #notified = 0;
  #shown = 0;
  #isEnded = false;

  private constructor(
    target: PostgresTarget,
    schema: string,
    options: FilledOptions,
    session: SessionTracker,
  ) {
    this.#target = target;
    this.#schema = schema;
    this.#options = options;
    this.clock = options.clock;
    this.session = session;
    this.#shortest = session.timeout;
    this.server = publicUrl(target.url);
  }

  /** Connects, creates missing tables, and opens a session. */
  static async open(url: string, options: FilledOptions): Promise<PostgresRegistry> {
    const { schema, target } = targetOf(url, options);
    const { clock, connectTimeout, sessionTimeout, name } = options;
    const deadline = clock.monotonic() + connectTimeout;
    for (;;) {
      try {
        let closed = () => {};
        const connection = await connect(target, () => closed());
        try {
          await refuseTransactionPooling(connection, target);
          await createSchema(connection.client, schema);
          const started = clock.monotonic();
          const sql = `SELECT ${schema}.open($1, $2) AS id`;
          const { rows } = await connection.client.query(sql, [Math.round(sessionTimeout), name]);
          const session = new SessionTracker(rows[0].id, sessionTimeout, clock, started);
          const registry = new PostgresRegistry(target, schema, options, session);
          closed = () => registry.#disconnected(connection);
          await registry.#begin(connection);
          return registry;
        } catch (error) {
          connection.destroy();
          throw error;
        }
      } catch (error) {
        if (!isPassing(error) || clock.monotonic() >= deadline)
          throw new Error(`the registry ${publicUrl(url)} cannot be opened: ${(error as Error).message}`, {
            cause: error,
          });
        await new Promise<void>((resolve) => clock.setTimer(200, resolve));
      }
    }
  }

  async get(path: string): Promise<Entry | undefined> {
    checkPath(path);
    return (await this.#select('e.path = $2', [path]))[0];
  }

  async children(path: string): Promise<string[]> {
    checkPath(path);
    const sql = `SELECT e.path FROM (SELECT FROM ${this.#schema}.session WHERE id = $1) s
      LEFT JOIN ${this.#schema}.entry e ON e.parent = $2`;
    const rows = await this.#read<{ path: string | null }>(sql, [path]);
    return rows.flatMap((row) => (row.path === null ? [] : nameOf(row.path))).sort();
  }

  async subtree(path: string): Promise<Entry[]> {
    checkPath(path);
    const entries = await this.#select(BELOW, [path, ...rangeOf(path)]);
    return entries.sort((a, b) => comparePaths(a.path, b.path));
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
    const values = operations.map((operation) => ('value' in operation ? operation.value : ''));
    try {
      const results = await this.#writes.write({ operations: [...operations], values });
      return results.map((result, k) =>
        result === null ? undefined : { ...result, value: values[k], owner: result.owner ?? undefined },
      );
    } catch (error) {
      throw this.#failed(error, true, operations);
    }
  }

  /** Applies writes in one statement. Each names its values by their place in one list. */
  async #apply(group: readonly GroupedWrite[]): Promise<Applied[]> {
    let place = 0;
    const writes = group.map(({ operations }) => {
      const steps = operations.map(({ ...operation }) => ({
        ...operation,
        value: undefined,
        parent: parentOf(operation.path),
      }));
      const from = place + 1;
      place += steps.length;
      return { steps, from, to: place };
    });
    const { rows } = await this.#client().query<{ results: Applied }>({
      name: 'apply',
      text: `SELECT ${this.#schema}.apply($1, w.steps, ($3::bytea[])[w.from:w.to]) AS results
        FROM ROWS FROM (jsonb_to_recordset($2) AS (steps jsonb, "from" integer, "to" integer))
          WITH ORDINALITY AS w (steps, "from", "to", place) ORDER BY w.place`,
      values: [
        this.session.id,
        JSON.stringify(writes),
        group.flatMap(({ values }) => values.map((value) => Buffer.from(value))),
      ],
    });
    return rows.map(({ results }) => results);
  }

  async watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch> {
    checkPath(path);
    const watch = new PostgresWatch(path, scope, listener);
    // Added before the read: the read covers all earlier commits, notifications all later ones.
    this.#watches.add(watch);
    const stop = () => {
      watch.stop();
      this.#watches.delete(watch);
    };
    try {
      watch.compare(await this.#readWatch(watch));
    } catch (error) {
      stop();
      throw this.#failed(error, false);
    }
    return { stop };
  }

  async serverTime(): Promise<number> {
    const sql = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      FROM ${this.#schema}.session WHERE id = $1`;
    return (await this.#read<{ now: number }>(sql, []))[0].now;
  }

  async close(): Promise<void> {
    if (this.#isEnded) return;
    this.#timer?.cancel();
    const connection = this.#connection;
    if (connection) {
      const limit = this.clock.setTimer(this.session.timeout / 3, () => connection.destroy());
      await connection.client
        .query(`SELECT ${this.#schema}.expire($1, NULL)`, [this.session.id])
        .catch(() => undefined);
      limit.cancel();
    }
    this.#end('closed');
  }

  async #select(where: string, parameters: readonly unknown[]): Promise<Entry[]> {
    const sql = `SELECT e.path, e.value, e.version, e.created, e.changed, e.owner
      FROM (SELECT FROM ${this.#schema}.session WHERE id = $1) s LEFT JOIN ${this.#schema}.entry e ON ${where}`;
    type Row = Omit<Entry, 'value' | 'path' | 'owner'> & {
      path: string | null;
      value: Buffer;
      owner: string | null;
    };
    const rows = await this.#read<Row>(sql, parameters);
    return rows.flatMap(({ path, value, owner, ...row }) =>
      path === null ? [] : { path, value: value.toString(), ...row, owner: owner ?? undefined },
    );
  }

  /** Runs a query whose first parameter is the session; no row means that the session is gone. */
  async #read<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    try {
      const { rows } = await this.#client().query<Row>(sql, [this.session.id, ...parameters]);
      if (rows.length === 0) throw new RegistryError('session-lost');
      return rows;
    } catch (error) {
      throw this.#failed(error, false);
    }
  }

  #client(): pg.Client {
    const { lostBecause } = this.session;
    if (lostBecause !== undefined) throw new RegistryError('session-lost', { detail: lostBecause });
    if (!this.#connection) throw new RegistryError('away');
    return this.#connection.client;
  }

  #failed(error: unknown, write: boolean, operations?: readonly Operation[]): unknown {
    const failure = asRegistryError(error, write, operations);
    if (failure instanceof RegistryError && failure.reason === 'session-lost') this.#end('expired');
    return failure;
  }

  async #readWatch(watch: PostgresWatch): Promise<WatchRead> {
    const { path, scope } = watch;
    const where = scope === 'entry' ? 'e.path = $1' : BELOW_WATCH;
    const sql = `SELECT h.revision, e.path, e.changed FROM ${this.#schema}.head h
      LEFT JOIN ${this.#schema}.entry e ON ${where}`;
    const parameters = scope === 'entry' ? [path] : [path, ...rangeOf(path)];
    const { rows } = await this.#client().query(sql, parameters);
    const entries = rows.flatMap(({ path, changed }) => (path === null ? [] : [[path, changed] as const]));
    return { revision: rows[0].revision, entries };
  }

  /** Listens, compares all watches, and starts to beat. */
  async #begin(connection: PostgresConnection): Promise<void> {
    const { client } = connection;
    client.on('notification', ({ payload }) => this.#notification(payload ?? ''));
    await client.query(`LISTEN ${this.#schema}`);
    // A hanging statement must not delay the beats behind it past the session's timeout.
    await client.query(`SET statement_timeout = ${Math.ceil(this.session.timeout / 3)}`);
    // Every statement looks up by key. While a fast-growing table still has the statistics of an empty one,
    // the planner prefers full scans: 200 joining jobs read 27 million rows in 14,000 scans. The high price
    // that this sets for a scan must not trigger JIT, which takes longer than the statements.
    await client.query('SET enable_seqscan = off; SET jit = off');
    const { rows } = await client.query(`SELECT revision FROM ${this.#schema}.head`);
    this.#notified = rows[0].revision;
    this.#connection = connection;
    this.#beatSent = undefined;
    this.#observations.restart();
    this.#beat();
  }

  #notification(payload: string): void {
    if (payload === 'session') {
      this.#beat();
      return;
    }
    const [, digits, type, path] = /^(\d+) (created|changed|deleted) (.*)$/s.exec(payload) ?? [];
    const revision = Number(digits);
    if (path === undefined || revision <= this.#notified) return;
    const isGap = revision > this.#notified + 1;
    this.#notified = revision;
    for (const watch of this.#watches.above(path))
      watch.notify(revision, type as 'created' | 'changed' | 'deleted', path);
    if (isGap) void this.#compareAll();
  }

  /**
   * One pass at a time, since many watches take a while; requests during a pass are coalesced into one more.
   */
  async #compareAll(): Promise<void> {
    this.#isCompareAsked = true;
    if (this.#isComparing) return;
    this.#isComparing = true;
    try {
      while (this.#isCompareAsked) {
        this.#isCompareAsked = false;
        for (const watch of this.#watches.all()) watch.compare(await this.#readWatch(watch));
      }
    } catch {
      // The connection broke; the next one compares again.
    } finally {
      this.#isComparing = false;
    }
  }

  #beatLater(): void {
    this.#timer?.cancel();
    const started = this.clock.monotonic();
    const every = this.#observations.wait(this.#shortest, started);
    const due = started + every;
    this.#timer = this.clock.setTimer(every, () => {
      const now = this.clock.monotonic();
      const silence = this.#beatSent === undefined ? 0 : now - this.#beatSent;
      // A process that was suspended reads the answers already waiting first.
      const isLate = now - due > every / 4;
      if (silence >= this.session.timeout / 3 && !isLate) this.#connection?.destroy();
      else this.#beat();
    });
  }

  #beat(): void {
    const connection = this.#connection;
    if (!connection || this.#isEnded) return;
    this.#beatLater();
    if (this.#beatSent !== undefined) return;
    const sent = this.clock.monotonic();
    this.#beatSent = sent;
    connection.client.query(`SELECT * FROM ${this.#schema}.beat($1)`, [this.session.id]).then(
      ({ rows }) => {
        if (connection !== this.#connection) return;
        this.#beatSent = undefined;
        this.#answered(rows[0], sent);
      },
      () => connection.destroy(),
    );
  }

  #answered(
    answer: { alive: boolean; revision: number; sessions: [string, number, number][] | null },
    sent: number,
  ): void {
    if (!answer.alive) {
      this.#end('expired');
      return;
    }
    this.session.acknowledged(sent);
    // Notifications arrive before the answer or soon after it; one still missing a full beat later was lost.
    if (this.#shown > this.#notified) {
      this.#notified = this.#shown;
      void this.#compareAll();
    }
    this.#shown = answer.revision;
    const sessions = (answer.sessions ?? []).map(([id, beat, timeout]) => ({ id, beat, timeout }));
    const shortest = Math.min(this.session.timeout, ...sessions.map(({ timeout }) => timeout));
    this.#shortest = shortest;
    const over = this.#observations.add(sessions, sent, this.clock.monotonic());
    this.#beatLater();
    for (const session of over) this.#expire(session);
  }

  #expire({ id, beat }: SeenSession): void {
    const sql = `SELECT ${this.#schema}.expire($1, $2) AS expired`;
    this.#connection?.client.query(sql, [id, beat]).then(
      ({ rows }) => {
        if (rows[0].expired) this.#options.log('info', `expired the registry session ${id}`);
      },
      () => undefined,
    );
  }

  #disconnected(connection: PostgresConnection): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.#timer?.cancel();
    if (this.#isEnded) return;
    this.#options.log('warn', `lost the connection to the registry ${this.server}`);
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isEnded) {
      const limit = Math.max(1_000, this.session.timeout / 3);
      try {
        const target = { ...this.#target, connectTimeout: limit };
        const connection = await connect(target, () => this.#disconnected(connection));
        const timer = this.clock.setTimer(limit, () => connection.destroy());
        try {
          await this.#begin(connection);
        } catch (error) {
          connection.destroy();
          throw error;
        } finally {
          timer.cancel();
        }
        if (this.#isEnded) connection.destroy();
        await this.#compareAll();
        for (const watch of this.#watches.all()) watch.resync();
        return;
      } catch {
        const pause = 50 + this.#options.random() * 200;
        await new Promise<void>((resolve) => {
          this.#timer = this.clock.setTimer(pause, resolve);
        });
      }
    }
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    // `end` would wait for a silent server.
    connection?.destroy();
    this.session.end(reason);
  }
}

const BELOW = '(e.path = $2 OR (e.path >= $3 AND e.path < $4))';
const BELOW_WATCH = '(e.path = $1 OR (e.path >= $2 AND e.path < $3))';

/** All paths below a path, as a range in byte order: `0` follows `/`. */
function rangeOf(path: string): [string, string] {
  return path === '/' ? ['/', '0'] : [`${path}/`, `${path}0`];
}

/** `?schema=NAME` allows several registries in one database. */
function targetOf(text: string, options: FilledOptions): { schema: string; target: PostgresTarget } {
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  url.searchParams.delete('schema');
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new Error(`schema "${schema}": a name of a registry schema has a-z, 0-9 and _`);
  const { name, tls, connectTimeout } = options;
  return { schema, target: { url: url.href, name, ssl: tls, connectTimeout } };
}
