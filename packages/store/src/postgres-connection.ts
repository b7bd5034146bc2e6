/** Connections to PostgreSQL: how they are reached and set, and how it shows that one is gone. */
import pg from 'pg';
import { StoreAway } from './errors.ts';

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

/** What a connection that writes has besides. */
interface Writing {
  /** So many milliseconds without a next statement end its transaction. */
  readonly idle: number;
  /** Which of the node's lines it is; see the feed. */
  readonly line: string;
}

/** How to connect; with `writing`, to write. */
export function connection(
  { url, name = 'orrery', schema }: PostgresOptions,
  writing?: Writing,
): pg.ClientConfig {
  const settings: Record<string, string | number> = { jit: 'off' };
  if (schema) settings.search_path = schema;
  if (writing) {
    const { idle, line } = writing;
    Object.assign(settings, writerSettings, { 'orrery.line': line });
    // So that a node that froze, or is gone while a statement of it waits, does not keep its locks.
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

/** Whether an error means that the connection is gone or the server cannot work, not that the statement was bad. */
export function isBroken(error: unknown): boolean {
  const { code, message, tag } = error as { code?: string; message?: string; tag?: string };
  if (tag !== undefined) return false;
  if (code === undefined) return /connection|terminated|timeout|closed|not queryable/i.test(message ?? '');
  return /^(08|28|57P|53|58|25P03|25006|3D000|E[A-Z]+$)/.test(code);
}

/** Errors of the connection or the server mean that the store is away. */
export function asStoreAway(error: unknown, committing: boolean): unknown {
  if (!isBroken(error)) return error;
  // A host with several addresses fails with an error that has a code but no message.
  const { message, code } = error as { message: string; code?: string };
  return new StoreAway(`the database does not answer: ${message || code}`, committing, error);
}
