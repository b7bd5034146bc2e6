/** A session with a database: what `sql` tasks need of every kind, over its driver. */
import type { SqlValue } from '@orrery/core/params';
import type { Pooled } from '../connections/pool.ts';

/** The settings of a connection to one database of a server. */
export interface DatabaseSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  readonly tls: 'off' | 'on' | 'verify';
  readonly ca?: string;
}

/** Takes the rows of a result one by one, so that a large one is never in memory as a whole. */
export interface RowSink {
  /** Called once for each result, before its rows. */
  columns(names: readonly string[]): void;
  /** False when it has enough for now: wait for `ready` before the next row. */
  row(values: readonly unknown[]): boolean;
  ready(): Promise<void>;
}

/** The statements that begin and end a transaction. */
export interface TransactionWords {
  readonly begin: string;
  readonly commit: string;
  readonly rollback: string;
}

/** As most databases have them. */
export const TRANSACTION: TransactionWords = { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' };

/** An argument of a stored procedure. */
export interface CallArgument {
  readonly value: SqlValue;
  /** The output that an out parameter becomes. */
  readonly out?: string;
}

/** An open session; one statement at a time. */
export interface SqlSession extends Pooled {
  /** What the database is called, for messages. */
  readonly name: string;
  /** Its words for a transaction; undefined where it has none. */
  readonly transaction: TransactionWords | undefined;
  /** Runs one statement; answers how many rows it changed, or undefined where it returned rows. */
  run(text: string, values: readonly SqlValue[], sink: RowSink): Promise<number | undefined>;
  /** Hands the plan of a statement to the sink; absent where EXPLAIN before the statement does it. */
  explain?(text: string, values: readonly SqlValue[], sink: RowSink): Promise<void>;
  /** Calls a procedure and returns its out parameters in order; absent where statements do it. */
  call?(procedure: string, given: readonly CallArgument[]): Promise<readonly unknown[]>;
  /** Ends the statement that runs, on the server too; the session cannot be used again. */
  cancel(): Promise<void>;
}

/** An error of a statement: the database's message, and its position if known. */
export interface StatementFault {
  readonly message: string;
  /** Line within the statement, counted from 0. */
  readonly line?: number;
}
