/** Withdraws attempts: a token is removed from where it stands, an assignment is marked to be killed. */
import { batch, type Operation, together } from '../../operation.ts';
import { withdrawWaiting } from '../limits/wait-list.ts';
import {
  type AttemptRef,
  inKeyOrder,
  isAmong,
  isKey,
  keyColumns,
  keyText,
  keyTypes,
  keyValues,
} from './attempt-key.ts';

/** An attempt to withdraw; without `kill` a worker that holds it may finish it. */
export interface Withdrawal extends AttemptRef {
  readonly kill: boolean;
}

/** Attempts that are now nowhere and have no outcome, and those of them that held slots. */
export interface Withdrawn {
  readonly withdrawn: readonly AttemptRef[];
  readonly limited: readonly AttemptRef[];
}

/**
 * Withdraws attempts. A token moves from wait list to queue to assignment, so these are searched in that
 * order, each in a later statement: a token that moves meanwhile is found in its new place.
 */
export function* withdraw(list: readonly Withdrawal[]): Operation<Withdrawn> {
  if (list.length === 0) return { withdrawn: [], limited: [] };
  const ordered = inKeyOrder(list);
  const waited = yield* withdrawWaiting(ordered);
  const queued = yield* withdrawReady(without(ordered, waited));
  const rest = without(ordered, waited, queued);
  const [marked, left] = yield* together(
    batch<AttemptRef>(
      {
        sqlite: `UPDATE assignment SET killed = 1 WHERE ${isKey} RETURNING ${keyColumns}`,
        postgres: `UPDATE assignment SET killed = 1 WHERE ${isAmong('assignment')} RETURNING ${keyColumns}`,
      },
      keyTypes,
      rest.filter(({ kill }) => kill).map(keyValues),
    ),
    batch<AttemptRef>(
      {
        sqlite: `SELECT ${keyColumns} FROM assignment WHERE ${isKey}`,
        postgres: `SELECT ${keyColumns} FROM assignment WHERE ${isAmong('assignment', { locked: false })}`,
      },
      keyTypes,
      rest.filter(({ kill }) => !kill).map(keyValues),
    ),
  );
  const gone = without(rest, marked.rows, left.rows);
  const nowhere = [...waited, ...queued, ...without(gone, yield* ended(gone))];
  return {
    withdrawn: nowhere.map(({ run, task, shard, number }) => ({ run, task, shard, number })),
    limited: queued.filter(({ limited }) => limited === 1),
  };
}

/** Those whose outcome is recorded already: it is in the inbox of the run, and counts. */
function* ended(list: readonly AttemptRef[]): Operation<readonly AttemptRef[]> {
  if (list.length === 0) return [];
  const { rows } = yield* batch<AttemptRef>(
    {
      sqlite: `SELECT ${keyColumns} FROM attempt WHERE ${isKey}`,
      postgres: `SELECT ${keyColumns} FROM attempt WHERE ${isAmong('attempt', { locked: false })}`,
    },
    keyTypes,
    list.map(keyValues),
  );
  return rows;
}

function* withdrawReady(
  list: readonly AttemptRef[],
): Operation<readonly (AttemptRef & { readonly limited: number })[]> {
  const { rows } = yield* batch<AttemptRef & { readonly limited: number }>(
    {
      sqlite: `DELETE FROM ready WHERE ${isKey} RETURNING ${keyColumns}, limited`,
      postgres: `DELETE FROM ready WHERE ${isAmong('ready')} RETURNING ${keyColumns}, limited`,
    },
    keyTypes,
    list.map(keyValues),
  );
  return rows;
}

function without<T extends AttemptRef>(list: readonly T[], ...gone: readonly (readonly AttemptRef[])[]): T[] {
  const keys = new Set(gone.flat().map(keyText));
  return list.filter((entry) => !keys.has(keyText(entry)));
}
