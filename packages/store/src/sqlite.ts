/**
 * The embedded store: `node:sqlite` in WAL mode with full synchronisation and one writer. An operation runs
 * synchronously from begin to commit, so nothing can come between its statements.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreAway } from './errors.ts';
import { checkSchema, migrate } from './migrate.ts';
import type { Answer, Operation, Step, Value } from './operation.ts';
import { STORE_CLOCK } from './operations/ticks/store-time.ts';
import { type Settled, settle } from './settled.ts';

/** Options for opening a database. */
export interface SqliteOptions {
  /**
   * An additional reading connection of a process that already has the file open: it neither locks nor
   * migrates.
   */
  readonly readOnly?: boolean;
  /** The store's clock in epoch milliseconds; default: this machine's. Simulations provide their own. */
  readonly now?: () => number;
}

/** Limit of the prepared-statement cache: list filters can produce any number of statements. */
const MOST_PREPARED = 2_000;

/** An open SQLite database; see `openSqlite`. */
export class SqliteDriver {
  readonly dialect = 'sqlite';
  private readonly path: string;
  private readonly database: DatabaseSync;
  private readonly guard: DatabaseSync | undefined;
  private readonly statements = new Map<string, Prepared>();

  /** Opens or creates the file (`:memory:` for none) and migrates its schema. */
  constructor(path: string, { readOnly = false, now = Date.now }: SqliteOptions = {}) {
    this.path = path;
    const makes = path !== ':memory:' && !readOnly;
    this.guard = makes ? lock(path) : undefined;
    try {
      if (makes) createClosed(path);
      this.database = new DatabaseSync(path, { readOnly });
      this.setUp(readOnly, now);
    } catch (error) {
      this.guard?.close();
      throw openError(error, path);
    }
  }

  private setUp(readOnly: boolean, now: () => number): void {
    // At most waits for a checkpoint of the other connection; no other process can have the file open.
    this.database.exec('PRAGMA busy_timeout = 5000');
    this.database.function(STORE_CLOCK, () => Math.floor(now()));
    if (readOnly) return;
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    // Frequently changed pages are checkpointed less often and stay in memory. With the defaults (4 MB of
    // WAL, 2 MB of cache) a commit under load took 1.9 ms instead of 0.7.
    this.database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -65536;');
    this.transact(migrate);
    // Pages changed under a savepoint are copied first; with the default, into a file. Set after migrations,
    // which may sort large tables.
    this.database.exec('PRAGMA temp_store = MEMORY');
    this.read(checkSchema);
  }

  /** Runs an operation in one transaction. */
  transact<T>(make: () => Operation<T>): T {
    this.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = this.drive(make());
    } catch (error) {
      this.rollBack();
      throw asStoreAway(error, false);
    }
    this.exec('COMMIT');
    return result;
  }

  /**
   * Runs operations in one transaction with a savepoint each, so that a failed one leaves the others alone
   * and they share one disk flush. If the transaction as a whole fails, so do all of them.
   */
  transactAll<T>(makes: readonly (() => Operation<T>)[]): Settled<T>[] {
    if (makes.length === 1) return [settle(() => this.transact(makes[0]))];
    let settled: Settled<T>[] = [];
    try {
      this.exec('BEGIN IMMEDIATE');
      settled = makes.map((make) => this.inSavepoint(make));
      this.exec('COMMIT');
      return settled;
    } catch (error) {
      this.rollBack();
      return makes.map((_, k) => (settled[k] && 'error' in settled[k] ? settled[k] : { error }));
    }
  }

  /** Runs a reading operation: one snapshot, no lock. */
  read<T>(make: () => Operation<T>): T {
    this.exec('BEGIN');
    try {
      return this.drive(make());
    } catch (error) {
      throw asStoreAway(error, false);
    } finally {
      this.rollBack();
    }
  }

  /** Corruption of the file; empty if there is none. */
  damages(): string[] {
    try {
      const found = this.database.prepare('PRAGMA quick_check(10)').all() as { quick_check: string }[];
      return found.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok');
    } catch (error) {
      throw openError(error, this.path);
    }
  }

  /** Copies committed data into an empty file without blocking writers. */
  copyTo(file: string): void {
    this.database.prepare('VACUUM INTO ?').run(file);
  }

  close(): void {
    this.statements.clear();
    this.database.close();
    this.guard?.close();
  }

  private inSavepoint<T>(make: () => Operation<T>): Settled<T> {
    this.database.exec('SAVEPOINT one');
    try {
      const result = this.drive(make());
      this.database.exec('RELEASE one');
      return { result };
    } catch (error) {
      const away = asStoreAway(error, false);
      // A full disk may already have ended the whole transaction.
      if (!this.database.isTransaction) throw away;
      this.database.exec('ROLLBACK TO one; RELEASE one');
      return { error: away };
    }
  }

  private exec(text: 'BEGIN' | 'BEGIN IMMEDIATE' | 'COMMIT'): void {
    try {
      this.database.exec(text);
    } catch (error) {
      this.rollBack();
      throw asStoreAway(error, text === 'COMMIT');
    }
  }

  private rollBack(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  private drive<T>(operation: Operation<T>): T {
    let next = operation.next();
    while (!next.done) next = operation.next(this.answer(next.value));
    return next.value;
  }

  private answer(step: Step): Answer {
    if (step.kind === 'query') {
      const prepared = this.prepare(typeof step.text === 'string' ? step.text : step.text.sqlite);
      return run(prepared, step.params);
    }
    if (step.kind === 'dialect') return { rows: [this.dialect], changed: 0 };
    if (step.kind === 'asker') return { rows: [undefined], changed: 0 };
    if (step.kind === 'many') {
      return { rows: [], changed: 0, parts: step.steps.map((part) => this.answer(part)) };
    }
    const prepared = this.prepare(step.sqlite);
    const rows: unknown[] = [];
    let changed = 0;
    for (const values of step.rows) {
      const answer = run(prepared, values);
      if (prepared.givesRows) rows.push(...answer.rows);
      changed += answer.changed;
    }
    return { rows, changed };
  }

  private prepare(text: string): Prepared {
    let prepared = this.statements.get(text);
    if (!prepared) {
      if (this.statements.size >= MOST_PREPARED) this.statements.clear();
      const statement = this.database.prepare(text);
      prepared = { statement, givesRows: statement.columns().length > 0 };
      this.statements.set(text, prepared);
    }
    return prepared;
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

function run({ statement, givesRows }: Prepared, params: readonly Value[]): Answer {
  if (!givesRows) return { rows: [], changed: Number(statement.run(...params).changes) };
  const rows = statement.all(...params);
  return { rows, changed: rows.length };
}

/** Held for the life of the process: a second process on the same file is refused; a crash releases it. */
export function lock(path: string): DatabaseSync {
  let guard: DatabaseSync;
  try {
    createClosed(`${path}.lock`);
    guard = new DatabaseSync(`${path}.lock`);
  } catch (error) {
    throw new StoreAway(`cannot open ${path}: ${(error as Error).message}`, false, error);
  }
  try {
    guard.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (error) {
    guard.close();
    throw new StoreAway(
      `another process is using ${path}; stop it first, or give this one a data folder of its own`,
      false,
      error,
    );
  }
  return guard;
}

/**
 * Creates a file readable only by its owner; SQLite copies its mode to the files beside it. An existing file
 * is not opened: closing it would release this process's locks on it.
 */
function createClosed(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** SQLite result codes for failures of the machine, not of the statement. */
const BUSY = 5;
const FULL = 13;
const away = new Set([
  BUSY,
  6 /* locked */,
  7 /* memory */,
  8 /* read-only */,
  10 /* disk */,
  11 /* damaged */,
  14 /* open */,
  FULL,
  26 /* no database */,
]);

/** Why a database cannot be opened, in one line with the remedy. */
function openError(error: unknown, path: string): unknown {
  const known = asStoreAway(error, false);
  if (!(known instanceof StoreAway)) return error;
  const { errcode = 0, message } = (known.cause ?? error) as { errcode?: number; message: string };
  const primary = errcode & 0xff;
  const help =
    primary === 11 || primary === 26
      ? `; it is damaged or no database: bring back a backup with "orrery db restore"`
      : primary === 8
        ? '; let this user write the file and its folder'
        : '';
  return new StoreAway(`cannot open ${path}: ${message}${help}`, false, error);
}

/**
 * Converts errors of the machine to StoreAway. A failed commit is undone, but if the disk did not confirm
 * that, a crash now could bring it back.
 */
function asStoreAway(error: unknown, committing: boolean): unknown {
  const { code, errcode = 0, errstr = '' } = error as { code?: string; errcode?: number; errstr?: string };
  const primary = errcode & 0xff;
  if (code !== 'ERR_SQLITE_ERROR' || !away.has(primary)) return error;
  const unknown = committing && primary !== FULL && primary !== BUSY;
  return new StoreAway(`the database cannot be used: ${errstr}`, unknown, error);
}
