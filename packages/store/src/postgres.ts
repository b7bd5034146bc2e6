/**
 * The cluster's store: PostgreSQL 14 or newer. A node writes over one connection, in order; commits that
 * stand alone may use a second one meanwhile. Reads share a small pool.
 */
import { InvalidInput } from '@orrery/core/errors';
import pg from 'pg';
import { StoreAway } from './errors.ts';
import { checkSchema, migrate } from './migrate.ts';
import type { Operation } from './operation.ts';
import { SECOND_LINE } from './operations/runs/feed.ts';
import { asStoreAway, connection, isBroken, type PostgresOptions } from './postgres-connection.ts';
import { Statements } from './postgres-statements.ts';
import { PostgresWriter } from './postgres-writer.ts';

/** Prevents a later statement of a read from seeing a change that an earlier one missed. */
const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

export class PostgresDriver {
  readonly dialect = 'postgres';
  private readonly options: PostgresOptions;
  private readonly readers: pg.Pool;
  private readonly statements = new Statements();
  private readonly writer: PostgresWriter;
  /** For writes that may run beside others. */
  private readonly second: PostgresWriter;
  private closed = false;

  private constructor(options: PostgresOptions) {
    const { url, schema, timeout = 10_000 } = options;
    if (!/^postgres(ql)?:\/\//.test(url))
      throw new InvalidInput('the address of a database starts with postgres://');
    if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new InvalidInput(`"${schema}" cannot name a schema; use small letters, digits and _`);
    }
    this.options = options;
    this.writer = new PostgresWriter(options, this.statements, '');
    this.second = new PostgresWriter(options, this.statements, SECOND_LINE);
    this.readers = new pg.Pool({ ...connection(options), max: options.readers ?? 4, query_timeout: timeout });
    this.readers.on('error', () => {});
    // The pool listens to idle connections only; an unhandled error would end the process.
    this.readers.on('connect', (client) => client.on('error', () => {}));
  }

  /** Connects and migrates the schema. */
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

  /** Leaves the schema unchanged, for inspecting a database before changing it. */
  static asFound(options: PostgresOptions): PostgresDriver {
    return new PostgresDriver(options);
  }

  /**
   * Runs an operation in one transaction, after earlier ones. With `beside` it uses the second connection
   * instead of waiting: the server works on both, and they share one disk flush.
   */
  async transact<T>(make: () => Operation<T>, beside = false): Promise<T> {
    this.refuseClosed();
    const isFree = beside && this.writer.isBusy && !this.second.isBusy;
    return (isFree ? this.second : this.writer).transact(make);
  }

  /** Runs a reading operation on any reader; all its statements see one snapshot. */
  async read<T>(make: () => Operation<T>): Promise<T> {
    this.refuseClosed();
    const client = await this.readers.connect().catch((error) => {
      throw asStoreAway(error, false);
    });
    try {
      // Not awaited: it is answered together with the first statement.
      const begun = client.query(SNAPSHOT).catch((error) => error as Error);
      const result = await this.statements.drive(client, make());
      const failed = await begun;
      if (failed instanceof Error) throw failed;
      giveBack(client);
      return result;
    } catch (error) {
      if (isBroken(error)) client.release(true);
      else giveBack(client);
      throw asStoreAway(error, false);
    }
  }

  /**
   * Vacuums the queues' dead rows, because autovacuum is too slow: without this, after a minute of load a
   * take cost 16.5 us per row instead of 6.7. It waits for no lock and does not truncate, which would make
   * others wait.
   */
  async tidy(): Promise<void> {
    await this.readers
      .query('VACUUM (SKIP_LOCKED, TRUNCATE false) ready, assignment, command, inbox, trigger_due')
      .catch((error) => {
        throw asStoreAway(error, false);
      });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.writer.close();
    await this.second.close();
    await this.readers.end();
  }

  /** A reopened connection would keep the process alive. */
  private refuseClosed(): void {
    if (this.closed) throw new StoreAway('the store was closed', false);
  }

  /** Uses a separate connection: a migration may exceed the statement timeout. */
  private async prepareSchema(): Promise<void> {
    const { schema } = this.options;
    const client = new pg.Client(connection(this.options));
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('BEGIN');
      // Two nodes that create a schema at once would collide, even with IF NOT EXISTS.
      await client.query('SELECT pg_advisory_xact_lock(7071947)');
      if (schema) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await this.statements.drive(client, migrate());
      await client.query('COMMIT');
      await this.statements.drive(client, checkSchema());
    } catch (error) {
      throw asStoreAway(error, false);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Ends a read's transaction in the background. */
function giveBack(client: pg.PoolClient): void {
  client.query('COMMIT').then(
    () => client.release(),
    () => client.release(true),
  );
}
