/**
 * The cluster's store: PostgreSQL 14 or newer. Writes go over one connection per node in the order they are asked
 * for; reads share a small pool. A connection that breaks during a commit leaves its result unknown.
 */
import pg from 'pg';
import { StoreAway } from './errors.ts';
import { migrate } from './migrate.ts';
import type { Answer, Operation, Step, Value } from './operation.ts';

/** How to reach the database. */
export interface PostgresOptions {
  readonly url: string;
  /** Shown by the server for each connection; fencing finds a node's connections by it. */
  readonly name?: string;
  /** Keeps the tables apart in one database. */
  readonly schema?: string;
  /** Reading connections at most. */
  readonly readers?: number;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text') =>
    id === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

export class PostgresDriver {
  readonly dialect = 'postgres';
  private readonly options: PostgresOptions;
  private readonly readers: pg.Pool;
  private writer: pg.Client | undefined;
  /** Writes follow each other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly names = new Map<string, { name: string; text: string }>();

  private constructor(options: PostgresOptions) {
    this.options = options;
    this.readers = new pg.Pool({ ...this.connection(), max: options.readers ?? 4 });
    this.readers.on('error', () => {});
  }

  /** Connects and brings the schema up to date. */
  static async open(options: PostgresOptions): Promise<PostgresDriver> {
    const driver = new PostgresDriver(options);
    const schema = options.schema ?? 'public';
    if (!/^[a-z_][a-z0-9_]*$/.test(schema))
      throw new StoreAway(`"${schema}" cannot be the name of a schema`, false);
    const client = await driver.connect();
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await driver.transact(migrate());
    return driver;
  }

  /** Runs an operation in one transaction, after those asked for before it. */
  transact<T>(operation: Operation<T>): Promise<T> {
    const result = this.last.then(() => this.write(operation));
    this.last = result.catch(() => {});
    return result;
  }

  /** Runs a reading operation on any reader; each statement sees what is committed then. */
  async read<T>(operation: Operation<T>): Promise<T> {
    const client = await this.readers.connect().catch((error) => {
      throw new StoreAway(`the database does not answer: ${error.message}`, false, error);
    });
    try {
      return await this.drive(client, operation);
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await this.last;
    await this.writer?.end();
    await this.readers.end();
  }

  private async write<T>(operation: Operation<T>): Promise<T> {
    const client = await this.connect();
    let committing = false;
    try {
      await client.query('BEGIN');
      const result = await this.drive(client, operation);
      committing = true;
      await client.query('COMMIT');
      return result;
    } catch (error) {
      const broken = isBroken(error);
      if (broken) this.drop(client);
      else if (!committing) await client.query('ROLLBACK').catch(() => this.drop(client));
      if (broken)
        throw new StoreAway(`the database does not answer: ${(error as Error).message}`, committing, error);
      throw error;
    }
  }

  private async connect(): Promise<pg.Client> {
    if (this.writer) return this.writer;
    const client = new pg.Client(this.connection());
    client.on('error', () => this.drop(client));
    try {
      await client.connect();
    } catch (error) {
      throw new StoreAway(`the database does not answer: ${(error as Error).message}`, false, error);
    }
    this.writer = client;
    return client;
  }

  private drop(client: pg.Client): void {
    if (this.writer === client) this.writer = undefined;
    client.end().catch(() => {});
  }

  private connection(): pg.ClientConfig {
    const { url, name, schema } = this.options;
    return {
      connectionString: url,
      application_name: name ?? 'orrery',
      options: schema ? `-c search_path=${schema}` : undefined,
      types,
    };
  }

  private async drive<T>(client: pg.ClientBase, operation: Operation<T>): Promise<T> {
    let next = operation.next();
    while (!next.done) {
      let answer: Answer;
      try {
        answer = await this.answer(client, next.value);
      } catch (error) {
        next = operation.throw(error);
        continue;
      }
      next = operation.next(answer);
    }
    return next.value;
  }

  private async answer(client: pg.ClientBase, step: Step): Promise<Answer> {
    const text =
      step.kind === 'batch' ? step.postgres : typeof step.text === 'string' ? step.text : step.text.postgres;
    const values =
      step.kind === 'query'
        ? [...step.params]
        : step.types.map((_, k) => step.rows.map((row): Value => row[k]));
    const query: pg.QueryConfig = { ...this.named(text), values };
    const { rows, rowCount } = await client.query(query);
    return { rows, changed: rowCount ?? 0 };
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

/** Whether an error means that the connection is gone, not that the statement was bad. */
function isBroken(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) return /connection|terminated|timeout|closed/i.test(message ?? '');
  return /^(08|57P|53|58|E[A-Z]+$)/.test(code);
}
