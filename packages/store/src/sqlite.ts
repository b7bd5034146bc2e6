/**
 * The embedded store: `node:sqlite` in WAL mode with full synchronisation and one writer. An operation runs
 * synchronously from begin to commit, so nothing can come between its statements.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreAway } from './errors.ts';
import { migrate } from './migrate.ts';
import type { Answer, Operation, Step, Value } from './operation.ts';

/** An open SQLite database; see `openSqlite`. */
export class SqliteDriver {
  readonly dialect = 'sqlite';
  private readonly database: DatabaseSync;
  private readonly guard: DatabaseSync | undefined;
  private readonly statements = new Map<string, StatementSync>();

  /** Opens or creates the file (`:memory:` for none) and brings its schema up to date. */
  constructor(path: string) {
    this.guard = path === ':memory:' ? undefined : lock(path);
    this.database = new DatabaseSync(path);
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.transact(migrate());
  }

  /** Runs an operation in one transaction. */
  transact<T>(operation: Operation<T>): T {
    this.exec('BEGIN IMMEDIATE');
    let result: T;
    try {
      result = this.drive(operation);
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw asStoreAway(error);
    }
    this.exec('COMMIT');
    return result;
  }

  /** Runs a reading operation: one snapshot, no lock. */
  read<T>(operation: Operation<T>): T {
    this.exec('BEGIN');
    try {
      return this.drive(operation);
    } finally {
      this.database.exec('COMMIT');
    }
  }

  close(): void {
    this.statements.clear();
    this.database.close();
    this.guard?.close();
  }

  private exec(text: string): void {
    try {
      this.database.exec(text);
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw asStoreAway(error);
    }
  }

  private drive<T>(operation: Operation<T>): T {
    let next = operation.next();
    while (!next.done) next = operation.next(this.answer(next.value));
    return next.value;
  }

  private answer(step: Step): Answer {
    if (step.kind === 'query') {
      const statement = this.prepare(typeof step.text === 'string' ? step.text : step.text.sqlite);
      return run(statement, step.params);
    }
    const statement = this.prepare(step.sqlite);
    const rows: unknown[] = [];
    let changed = 0;
    for (const values of step.rows) {
      const answer = run(statement, values);
      rows.push(...answer.rows);
      changed += answer.changed;
    }
    return { rows, changed };
  }

  private prepare(text: string): StatementSync {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.database.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }
}

const givesRows = new WeakMap<StatementSync, boolean>();

function run(statement: StatementSync, params: readonly Value[]): Answer {
  let gives = givesRows.get(statement);
  if (gives === undefined) {
    gives = statement.columns().length > 0;
    givesRows.set(statement, gives);
  }
  if (!gives) return { rows: [], changed: Number(statement.run(...params).changes) };
  const rows = statement.all(...params);
  return { rows, changed: rows.length };
}

/** Held as long as the process lives: a second process on the same file is refused, a crash frees it. */
function lock(path: string): DatabaseSync {
  const guard = new DatabaseSync(`${path}.lock`);
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

/** Errors of the database itself mean that it is away; the transaction was rolled back. */
function asStoreAway(error: unknown): unknown {
  const code = (error as { code?: string }).code;
  const text = (error as { errstr?: string }).errstr ?? '';
  const away = code === 'ERR_SQLITE_ERROR' && /disk|full|I\/O|locked|readonly|unable to open/i.test(text);
  return away ? new StoreAway(`the database cannot write: ${text}`, false, error) : error;
}
