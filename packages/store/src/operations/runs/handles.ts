/**
 * Handles: what attempts have started on other systems, such as the id of a Spark application. A handle is
 * committed before its attempt continues. If the attempt is lost or handed back, the next attempt gets the
 * handle. If the task is over and the handle was never released, a worker of its group is asked to end it.
 */
import { batch, change, dialect, type Operation, row, rows } from '../../operation.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { type AttemptRef, isKey, keyColumns, keyTypes, keyValues } from './attempt-key.ts';

/** What an attempt left behind. */
interface HandleRow extends AttemptRef {
  readonly handle: string;
}

/** A handle for a worker to end, with its attempt's input. */
export interface AbandonedHandle extends HandleRow {
  readonly payload: string;
}

/**
 * Stores the handle of an attempt that this worker holds, or deletes it if it is empty; returns whether the
 * worker holds the attempt.
 */
export function* keepHandle(input: {
  readonly self: Self;
  readonly worker: string;
  readonly epoch: number;
  readonly attempt: AttemptRef;
  readonly handle: string;
}): Operation<{ kept: boolean }> {
  const { self, worker, epoch, attempt, handle } = input;
  yield* checkSelf(self);
  const key = keyValues(attempt);
  const assigned = `SELECT 1 FROM assignment a WHERE a.run = ?1 AND a.task = ?2 AND a.shard = ?3 AND a.number = ?4
    AND a.worker = ?5 AND a.worker_epoch = ?6`;
  if (handle === '') {
    const dropped = yield* change(
      `DELETE FROM handle WHERE ${isKey} AND (EXISTS (${assigned}) OR (worker = ?5 AND worker_epoch = ?6))`,
      ...key,
      worker,
      epoch,
    );
    return { kept: dropped > 0 };
  }
  const found = yield* row<{ payload: string }>(
    {
      sqlite: `SELECT payload FROM assignment WHERE ${isKey} AND worker = ?5 AND worker_epoch = ?6`,
      postgres: `SELECT payload FROM assignment WHERE ${isKey} AND worker = ?5 AND worker_epoch = ?6 FOR UPDATE`,
    },
    ...key,
    worker,
    epoch,
  );
  if (!found) return { kept: false };
  yield* change(
    `INSERT INTO handle (${keyColumns}, body, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (${keyColumns}) DO UPDATE SET body = excluded.body`,
    ...key,
    handle,
    found.payload,
  );
  // The handle it resumed is now its own.
  yield* change(
    'DELETE FROM handle WHERE run = ?1 AND task = ?2 AND shard = ?3 AND number < ?4 AND worker IS NULL',
    ...key,
  );
  return { kept: true };
}

/** Handles of lost or handed-back attempts, for these attempts to resume. */
export function* readHandles({
  attempts,
}: {
  readonly attempts: readonly AttemptRef[];
}): Operation<readonly HandleRow[]> {
  const left = `h.body AS handle FROM handle h
    JOIN attempt a ON a.run = h.run AND a.task = h.task AND a.shard = h.shard AND a.number = h.number`;
  const condition = `h.worker IS NULL AND a.state IN ('lost', 'withdrawn')`;
  const { rows: found } = yield* batch<HandleRow>(
    {
      sqlite: `SELECT h.run, h.task, h.shard, ?4 AS number, ${left}
        WHERE h.run = ?1 AND h.task = ?2 AND h.shard = ?3 AND h.number < ?4 AND ${condition}`,
      postgres: `SELECT k.run, k.task, k.shard, k.number, ${left} JOIN unnest(?1::int8[], ?2::int8[], ?3::int8[], ?4::int8[]) AS k(${keyColumns})
        ON h.run = k.run AND h.task = k.task AND h.shard = k.shard AND h.number < k.number WHERE ${condition}`,
    },
    keyTypes,
    attempts.map(keyValues),
  );
  return found;
}

/** Final states of a task. */
const over = `('success', 'failed', 'killed', 'skipped', 'passed', 'excluded')`;
const MOST_LOOKED_AT = 20;
/** Time limit for ending a handle; after that the worker has failed to end it. */
const LONGEST_END = 300_000;

/**
 * Handles that a live worker of these groups is asked to end, within its beat: the task is over, no attempt
 * is queued or assigned, and no other live worker was asked lately.
 */
export function* claimAbandoned(
  { worker, epoch, groups }: { worker: string; epoch: number; groups: readonly string[] },
  now: number,
): Operation<readonly AbandonedHandle[]> {
  const same = (table: string) =>
    `NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.run = h.run AND x.task = h.task AND x.shard = h.shard)`;
  const lock = (yield* dialect()) === 'postgres' ? 'FOR UPDATE OF h SKIP LOCKED' : '';
  const found = yield* rows<AbandonedHandle>(
    `SELECT h.run, h.task, h.shard, h.number, h.body AS handle, h.payload FROM handle h
     WHERE (h.worker IS NULL OR h.ending_at < ?1 OR NOT EXISTS (
         SELECT 1 FROM worker w WHERE w.id = h.worker AND w.epoch = h.worker_epoch AND w.lost = 0))
       AND ${same('ready')} AND ${same('assignment')} AND ${same('limit_wait')}
       AND EXISTS (SELECT 1 FROM task_run t WHERE t.run = h.run AND t.task = h.task AND t.state IN ${over})
     ORDER BY h.run, h.task, h.shard, h.number LIMIT ${MOST_LOOKED_AT} ${lock}`,
    now - LONGEST_END,
  );
  const mine = found.filter(({ payload }) => groups.includes(groupOf(payload)));
  for (const abandoned of mine)
    yield* change(
      `UPDATE handle SET worker = ?5, worker_epoch = ?6, ending_at = ?7 WHERE ${isKey}`,
      ...keyValues(abandoned),
      worker,
      epoch,
      now,
    );
  return mine;
}

function groupOf(payload: string): string {
  return (JSON.parse(payload) as { workerGroup?: string }).workerGroup ?? 'default';
}
