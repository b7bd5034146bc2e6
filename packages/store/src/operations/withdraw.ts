/** Calling attempts back: a token is taken out wherever it stands, an assignment is marked to be killed. */
import { batch, type Operation } from '../operation.ts';
import {
  type AttemptRef,
  inKeyOrder,
  isKey,
  keyColumns,
  keyOf,
  keysOf,
  keyText,
  keyTypes,
  keyValues,
  matches,
} from './attempt-key.ts';
import { withdrawWaiting } from './wait-list.ts';

/** An attempt to call back; without `kill` a worker that has it may finish it. */
export interface Withdrawal extends AttemptRef {
  readonly kill: boolean;
}

/** Which attempts are nowhere now, and which of them held slots. */
export interface Withdrawn {
  readonly withdrawn: readonly AttemptRef[];
  readonly limited: readonly AttemptRef[];
}

/**
 * Calls attempts back. A token moves from wait list to queue to assignment, so they are looked through in that order,
 * each in a later statement: one that moves on meanwhile is found where it went.
 */
export function* withdraw(list: readonly Withdrawal[]): Operation<Withdrawn> {
  if (list.length === 0) return { withdrawn: [], limited: [] };
  const ordered = inKeyOrder(list);
  const waited = yield* withdrawWaiting(ordered);
  const queued = yield* withdrawReady(without(ordered, waited));
  const rest = without(ordered, waited, queued);
  const types = [...keyTypes, 'int'] as const;
  const { rows: assigned } = yield* batch<AttemptRef>(
    {
      sqlite: `UPDATE assignment SET killed = max(killed, ?5) WHERE ${isKey} RETURNING ${keyColumns}`,
      postgres: `UPDATE assignment a SET killed = greatest(a.killed, k.killed) FROM ${keysOf(types, 'killed')}
        WHERE ${matches('a')} RETURNING ${keyOf('a')}`,
    },
    types,
    rest.map((entry) => [...keyValues(entry), Number(entry.kill)]),
  );
  const nowhere = [...waited, ...queued, ...without(rest, assigned)];
  return {
    withdrawn: nowhere.map(({ run, task, shard, number }) => ({ run, task, shard, number })),
    limited: queued.filter(({ limited }) => limited === 1),
  };
}

function* withdrawReady(
  list: readonly AttemptRef[],
): Operation<readonly (AttemptRef & { readonly limited: number })[]> {
  const { rows } = yield* batch<AttemptRef & { readonly limited: number }>(
    {
      sqlite: `DELETE FROM ready WHERE ${isKey} RETURNING ${keyColumns}, limited`,
      postgres: `DELETE FROM ready r USING ${keysOf(keyTypes)} WHERE ${matches('r')} RETURNING ${keyOf('r')}, r.limited`,
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
