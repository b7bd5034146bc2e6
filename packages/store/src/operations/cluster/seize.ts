/**
 * Taking a node's row from a process that may be frozen in the middle of a transaction: PostgreSQL would wait for its
 * share lock. A short wait is normal; after that its sessions, found by name, are ended and the statement repeated.
 */
import { change, dialect, type Operation, rows } from '../../operation.ts';
import { type Self, sessionName } from './self.ts';

/** How long a write of a live node may hold us up, in milliseconds, before it is taken for frozen. */
const PATIENCE = 300;

/** Runs a statement that needs the row of `node`, whatever its process is doing. */
export function* seizing<T>(
  { node, epoch }: Self,
  statement: () => Operation<T>,
  patience = PATIENCE,
): Operation<T> {
  // SQLite has one writer: nobody else can be in the middle of anything.
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
