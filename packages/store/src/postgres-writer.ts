/**
 * A writing connection: runs operations in order, each in a transaction. Operations that arrive during a
 * commit are committed together in the next one. If a connection breaks during a commit, the result is
 * unknown; the next operation reconnects.
 */
import pg from 'pg';
import type { Operation } from './operation.ts';
import { asStoreAway, connection, isBroken, type PostgresOptions } from './postgres-connection.ts';
import type { Statements } from './postgres-statements.ts';
import type { Settled } from './settled.ts';

/** Limit of retries after a deadlock. */
const RETRIES = 5;

/** Limit of writes per transaction: PostgreSQL tracks some 60 savepoints cheaply. */
const MOST = 32;

interface Waiting {
  make(): Operation<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class PostgresWriter {
  private readonly options: PostgresOptions;
  private readonly statements: Statements;
  private readonly line: string;
  private client: pg.Client | undefined;
  /** Writes not started yet. */
  private readonly waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;

  /** `line` is the suffix of writer names in the feed, for a node with several connections. */
  constructor(options: PostgresOptions, statements: Statements, line: string) {
    this.options = options;
    this.statements = statements;
    this.line = line;
  }

  /** Whether a write is in flight. */
  get isBusy(): boolean {
    return this.writing !== undefined;
  }

  /** Runs an operation in one transaction, after earlier ones. */
  transact<T>(make: () => Operation<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ make, resolve: (result) => resolve(result as T), reject });
      this.begin();
    });
  }

  /** Settles when no write is in flight. */
  async close(): Promise<void> {
    while (this.writing) await this.writing;
    await this.client?.end().catch(() => {});
  }

  private begin(): void {
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
      if (this.waiting.length > 0) this.begin();
    });
  }

  private async writeAll(): Promise<void> {
    // Operations of the same turn share a transaction.
    await undefined;
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, MOST);
      const settled = group.length > 1 ? await this.writeGroup(group) : [undefined];
      for (const [k, { make, resolve, reject }] of group.entries()) {
        const outcome = settled[k] ?? (await this.writeAlone(make));
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result);
      }
    }
  }

  /** Runs a write alone. Two nodes can deadlock; the refused one retries. */
  private async writeAlone(make: () => Operation<unknown>): Promise<Settled<unknown>> {
    for (let left = RETRIES; ; left--) {
      try {
        return { result: await this.inTransaction((client) => this.drive(client, make)) };
      } catch (error) {
        if (left === 0 || !isDeadlock(error)) return { error };
      }
    }
  }

  /**
   * Gives each write a savepoint, so that a failed one leaves the others alone; one in a deadlock has no
   * outcome yet.
   */
  private async writeGroup(group: readonly Waiting[]): Promise<(Settled<unknown> | undefined)[]> {
    const settled: (Settled<unknown> | undefined)[] = [];
    try {
      await this.inTransaction(async (client) => {
        for (const { make } of group) settled.push(await this.inSavepoint(client, make));
      });
      return settled;
    } catch (error) {
      return group.map((_, k) => (isDeadlock(error) ? undefined : (refusal(settled[k]) ?? { error })));
    }
  }

  private async inSavepoint(
    client: pg.Client,
    make: () => Operation<unknown>,
  ): Promise<Settled<unknown> | undefined> {
    const set = ignored(client.query('SAVEPOINT one'));
    try {
      const result = await this.drive(client, make);
      void ignored(client.query('RELEASE SAVEPOINT one'));
      return { result };
    } catch (error) {
      if (isBroken(error)) throw error;
      await set;
      await client.query('ROLLBACK TO SAVEPOINT one');
      return isDeadlock(error) ? undefined : { error };
    }
  }

  private async inTransaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let committing = false;
    try {
      await this.options.pause?.('BEGIN');
      // Not awaited: it is answered together with the first statement.
      const begun = client.query('BEGIN').catch((error) => error as Error);
      const result = await work(client);
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

  private drive<T>(client: pg.Client, make: () => Operation<T>): Promise<T> {
    return this.statements.drive(client, make(), this.options.pause);
  }

  private async connect(): Promise<pg.Client> {
    if (this.client) return this.client;
    const { timeout = 10_000 } = this.options;
    const client = new pg.Client({
      ...connection(this.options, { idle: timeout, line: this.line }),
      query_timeout: timeout,
    });
    client.on('error', () => this.drop(client));
    try {
      await client.connect();
    } catch (error) {
      throw asStoreAway(error, false);
    }
    this.client = client;
    return client;
  }

  private drop(client: pg.Client): void {
    if (this.client === client) this.client = undefined;
    client.end().catch(() => {});
  }
}

/** Sends without waiting for the answer: if it fails, so does the next statement. */
function ignored(sent: Promise<unknown>): Promise<unknown> {
  return sent.catch(() => {});
}

/** The refusal of a single operation stands, whatever the result of the group. */
function refusal(outcome: Settled<unknown> | undefined): Settled<unknown> | undefined {
  return outcome && 'error' in outcome ? outcome : undefined;
}

function isDeadlock(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '40P01' || code === '40001';
}
