/**
 * Takes a node's row from a process that may be frozen inside a transaction: PostgreSQL would wait for its
 * share lock. A short wait is normal; after that the process's sessions, found by name, are terminated and
 * the statement repeated.
 */
import { change, dialect, type Operation, rows } from '../../operation.ts';
import { type Self, sessionName } from './self.ts';

/** Milliseconds that a write of a live node may block us before it counts as frozen. */
const PATIENCE = 300;

/** Runs a statement that needs the row of `node`, whatever state its process is in. */
export function* seizing<T>(
  { node, epoch }: Self,
  statement: () => Operation<T>,
  patience = PATIENCE,
): Operation<T> {
  // SQLite has a single writer: no other transaction can be open.
  if ((yield* dialect()) === 'sqlite') return yield* statement();
  yield* change('SAVEPOINT seize');
  yield* change(`SET LOCAL lock_timeout = ${Math.ceil(patience)}`);
  let result: T;
  try {
    result = yield* statement();
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    yield* change('ROLLBACK TO SAVEPOINT seize');
    yield* rows(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE application_name = ${sessionName} AND datname = current_database() AND pid <> pg_backend_pid()`,
      node,
      epoch,
    );
    result = yield* statement();
  }
  yield* change('SET LOCAL lock_timeout = 0');
  return result;
}
