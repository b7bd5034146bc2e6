/** Connections to PostgreSQL: their settings, and how a broken one is detected. */
import pg from 'pg';
import { StoreAway } from './errors.ts';

/** Connection options. */
export interface PostgresOptions {
  readonly url: string;
  /** Name shown by the server for each connection. */
  readonly name?: string;
  /** Schema of the tables, to separate stores in one database. */
  readonly schema?: string;
  /** Limit of reading connections. */
  readonly readers?: number;
  /**
   * Milliseconds before a statement without an answer, or a transaction without a next statement, is ended;
   * must be below the session timeout.
   */
  readonly timeout?: number;
  /** For race tests: awaited before each statement of a write, with its text, including BEGIN and COMMIT. */
  readonly pause?: (text: string) => Promise<void> | undefined;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text') =>
    id === pg.types.builtins.INT8 || id === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser,
};

/**
 * Settings of writing connections. Statements look up by key and are planned once, so a plan made on an empty
 * table must suit a full one. By default the planner scans small tables and keeps doing so as they grow:
 * updates of 500 runs took 7 ms at 7,500 runs (a hash join over all of them) instead of 3 ms; planning each
 * time costs 0.2 ms per statement. JIT is off: the cost of a "disabled" step would trigger it.
 */
const writerSettings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/** Additional options of a writing connection. */
interface Writing {
  /** Milliseconds without a next statement that end its transaction. */
  readonly idle: number;
  /** Which of the node's connections it is; see the feed. */
  readonly line: string;
}

/** Connection settings; with `writing`, for writes. */
export function connection(
  { url, name = 'orrery', schema }: PostgresOptions,
  writing?: Writing,
): pg.ClientConfig {
  const settings: Record<string, string | number> = { jit: 'off' };
  if (schema) settings.search_path = schema;
  if (writing) {
    const { idle, line } = writing;
    Object.assign(settings, writerSettings, { 'orrery.line': line });
    // A node that froze, or is gone while a statement waits, must not keep its locks.
    settings.idle_in_transaction_session_timeout = idle;
    settings.tcp_user_timeout = idle;
    settings.client_connection_check_interval = idle;
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

/**
 * Whether an error means that the connection is gone or the server cannot work, not that the statement was
 * bad.
 */
export function isBroken(error: unknown): boolean {
  const { code, message, tag } = error as { code?: string; message?: string; tag?: string };
  if (tag !== undefined) return false;
  if (code === undefined) return /connection|terminated|timeout|closed|not queryable/i.test(message ?? '');
  return /^(08|28|57P|53|58|25P03|25006|3D000|E[A-Z]+$)/.test(code);
}

/** Converts errors of the connection or the server to StoreAway. */
export function asStoreAway(error: unknown, committing: boolean): unknown {
  if (!isBroken(error)) return error;
  // A host with several addresses fails with an error that has a code but no message.
  const { message, code } = error as { message: string; code?: string };
  return new StoreAway(`the database does not answer: ${message || code}`, committing, error);
}
