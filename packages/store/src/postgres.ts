/**
 * The cluster's store: PostgreSQL 14 or newer. Writes go over one connection per node in the order they are asked
 * for; reads share a small pool. A connection that breaks during a commit leaves its result unknown; the next
 * operation connects again.
 */
import { InvalidInput } from '@orrery/core/errors';
import pg from 'pg';
import { StoreAway } from './errors.ts';
import { checkSchema, migrate } from './migrate.ts';
import type { Answer, Operation, Step, Value } from './operation.ts';
import { columnArrays, withoutZero } from './postgres-arrays.ts';

/** How to reach the database. */
export interface PostgresOptions {
  readonly url: string;
  /** Shown by the server for each connection. */
  readonly name?: string;
  /** Keeps the tables apart in one database. */
  readonly schema?: string;
  /** Reading connections at most. */
  readonly readers?: number;
  /** Below the session timeout: a statement without answer, or a transaction without a next statement, is given up. */
  readonly timeout?: number;
  /** For tests of races: awaited before each statement of a write, with its text; BEGIN and COMMIT too. */
  readonly pause?: (text: string) => Promise<void> | undefined;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text') =>
    id === pg.types.builtins.INT8 || id === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/** How often an operation that met a deadlock is tried again. */
const RETRIES = 5;

export class PostgresDriver {
  readonly dialect = 'postgres';
  private readonly options: PostgresOptions;
  private readonly readers: pg.Pool;
  private writer: pg.Client | undefined;
  /** Writes follow each other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly names = new Map<string, { name: string; text: string }>();

  private constructor(options: PostgresOptions) {
    const { schema, timeout = 10_000 } = options;
    if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new InvalidInput(`"${schema}" cannot name a schema; use small letters, digits and _`);
    }
    this.options = options;
    this.readers = new pg.Pool({ ...connection(options), max: options.readers ?? 4, query_timeout: timeout });
    this.readers.on('error', () => {});
  }

  /** Connects and brings the schema up to date. */
  static async open(options: PostgresOptions): Promise<PostgresDriver> {
    const driver = new PostgresDriver(options);
    try {
      await driver.prepareSchema();
    } catch (error) {
      await driver.close();
      throw error;
    }
    return driver;
  }

  /** Leaves the schema as it is, whatever it is; for those who look at a database before they change it. */
  static asFound(options: PostgresOptions): PostgresDriver {
    return new PostgresDriver(options);
  }

  /** Runs an operation in one transaction, after those asked for before it. */
  transact<T>(make: () => Operation<T>): Promise<T> {
    const result = this.last.then(() => this.retry(make));
    this.last = result.catch(() => {});
    return result;
  }

  /** Runs a reading operation on any reader; each statement sees what is committed then. */
  async read<T>(make: () => Operation<T>): Promise<T> {
    const client = await this.readers.connect().catch((error) => {
      throw asStoreAway(error, false);
    });
    let broken = false;
    try {
      return await this.drive(client, make());
    } catch (error) {
      broken = isBroken(error);
      throw asStoreAway(error, false);
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.writer?.end().catch(() => {});
    await this.readers.end();
  }

  /** On a connection of its own: a migration may take longer than any statement is given. */
  private async prepareSchema(): Promise<void> {
    const { schema } = this.options;
    const client = new pg.Client(connection(this.options));
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('BEGIN');
      // Two nodes that create a schema at once would collide, in spite of IF NOT EXISTS.
      await client.query('SELECT pg_advisory_xact_lock(7071947)');
      if (schema) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await this.drive(client, migrate());
      await client.query('COMMIT');
      await this.drive(client, checkSchema());
    } catch (error) {
      throw asStoreAway(error, false);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Two nodes can each wait for what the other has locked; the one that is refused simply does it again. */
  private async retry<T>(make: () => Operation<T>): Promise<T> {
    for (let left = RETRIES; ; left--) {
      try {
        return await this.write(make());
      } catch (error) {
        const { code } = error as { code?: string };
        if (left === 0 || (code !== '40P01' && code !== '40001')) throw error;
      }
    }
  }

  private async write<T>(operation: Operation<T>): Promise<T> {
    const client = await this.connect();
    let committing = false;
    try {
      await this.options.pause?.('BEGIN');
      // Not awaited: it is answered together with the first statement.
      const begun = client.query('BEGIN').catch((error) => error as Error);
      const result = await this.drive(client, operation, this.options.pause);
      const failed = await begun;
      if (failed instanceof Error) throw failed;
      committing = true;
      await this.options.pause?.('COMMIT');
      await client.query('COMMIT');
      return result;
    } catch (error) {
      if (isBroken(error)) this.drop(client);
      else if (!committing) await client.query('ROLLBACK').catch(() => this.drop(client));
      throw asStoreAway(error, committing);
    }
  }

  private async connect(): Promise<pg.Client> {
    if (this.writer) return this.writer;
    const { timeout = 10_000 } = this.options;
    const client = new pg.Client({ ...connection(this.options, timeout), query_timeout: timeout });
    client.on('error', () => this.drop(client));
    try {
      await client.connect();
    } catch (error) {
      throw asStoreAway(error, false);
    }
    this.writer = client;
    return client;
  }

  private drop(client: pg.Client): void {
    if (this.writer === client) this.writer = undefined;
    client.end().catch(() => {});
  }

  private async drive<T>(
    client: pg.ClientBase,
    operation: Operation<T>,
    pause?: PostgresOptions['pause'],
  ): Promise<T> {
    let next = operation.next();
    while (!next.done) {
      let answer: Answer;
      try {
        answer = await this.answer(client, next.value, pause);
      } catch (error) {
        next = operation.throw(error);
        continue;
      }
      next = operation.next(answer);
    }
    return next.value;
  }

  private async answer(client: pg.ClientBase, step: Step, pause: PostgresOptions['pause']): Promise<Answer> {
    if (step.kind === 'dialect') return { rows: [this.dialect], changed: 0 };
    if (step.kind === 'many') return this.answerMany(client, step.steps, pause);
    const text =
      step.kind === 'batch' ? step.postgres : typeof step.text === 'string' ? step.text : step.text.postgres;
    const values = step.kind === 'batch' ? columnArrays(step.types, step.rows) : step.params.map(cleaned);
    if (pause) await pause(text);
    const query: pg.QueryConfig = { ...this.named(text), values };
    const { rows, rowCount } = await client.query(query);
    return { rows, changed: rowCount ?? 0 };
  }

  /** All are sent before the first is answered; the error that counts is the first, others follow from it. */
  private async answerMany(
    client: pg.ClientBase,
    steps: readonly Step[],
    pause: PostgresOptions['pause'],
  ): Promise<Answer> {
    const parts: Answer[] = [];
    if (pause) {
      for (const step of steps) parts.push(await this.answer(client, step, pause));
      return { rows: [], changed: 0, parts };
    }
    const settled = await Promise.allSettled(steps.map((step) => this.answer(client, step, pause)));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      parts.push(result.value);
    }
    return { rows: [], changed: 0, parts };
  }

  /** Statements are prepared once a connection, under a name of their own. */
  private named(text: string): { name: string; text: string } {
    let found = this.names.get(text);
    if (!found) {
      found = { name: `s${this.names.size}`, text: text.replace(/\?(\d+)/g, '$$$1') };
      this.names.set(text, found);
    }
    return found;
  }
}

/**
 * How a connection that writes is set. Its statements go by key, and are planned once: a plan that is right for an
 * empty table must be right for a full one. Left to itself the planner reads small tables from end to end and keeps
 * doing so while they grow: updates of 500 runs took 7 ms at 7,500 runs (a hash join over all of them) against 3 ms,
 * and planning each time costs 0.2 ms a statement. No compiler: a plan with a "disabled" step looks dear enough for it.
 */
const writerSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/** With `idle`, a connection that writes: so many milliseconds without a next statement end its transaction. */
function connection({ url, name = 'orrery', schema }: PostgresOptions, idle?: number): pg.ClientConfig {
  const settings: Record<string, string | number> = { jit: 'off' };
  if (schema) settings.search_path = schema;
  if (idle) {
    Object.assign(settings, writerSettings);
    // So that a node that froze does not keep its locks.
    Object.assign(settings, { idle_in_transaction_session_timeout: idle, tcp_user_timeout: idle });
  }
  return {
    connectionString: url,
    application_name: name,
    options: Object.entries(settings)
      .map(([key, value]) => `-c ${key}=${value}`)
      .join(' '),
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    types,
  };
}

function cleaned(value: Value): Value {
  return typeof value === 'string' ? withoutZero(value) : value;
}

/** Whether an error means that the connection is gone or the server cannot work, not that the statement was bad. */
function isBroken(error: unknown): boolean {
  const { code, message, tag } = error as { code?: string; message?: string; tag?: string };
  if (tag !== undefined) return false;
  if (code === undefined) return /connection|terminated|timeout|closed|not queryable/i.test(message ?? '');
  return /^(08|57P|53|58|25P03|E[A-Z]+$)/.test(code);
}

function asStoreAway(error: unknown, committing: boolean): unknown {
  if (!isBroken(error)) return error;
  return new StoreAway(`the database does not answer: ${(error as Error).message}`, committing, error);
}
