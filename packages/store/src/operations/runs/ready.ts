/**
 * The ready queue: attempts that may run now. Each is a token that a worker's take turns into an assignment.
 */
import { batch, change, type Operation, type Value } from '../../operation.ts';
import { insertRows, placeOf, type Row, rowOf } from '../../table.ts';
import { readyTable } from '../../tables.ts';
import type { LimitNeed } from '../limits/limit-book.ts';
import type { AttemptRef } from './attempt-key.ts';

/** A row of the ready queue. */
export interface ReadyRow extends AttemptRef {
  readonly workerGroup: string;
  readonly runPriority: number;
  readonly taskPriority: number;
  /** Only this worker may take it, while it is alive and not draining. */
  readonly target?: string;
  /** The group chose the target: if that does not take it within `WISH_LASTS`, any worker may. */
  readonly wished?: boolean;
  /** This worker takes it only if its group has no other. */
  readonly avoid?: string;
  /** Required capacity of its worker; memory in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** Payload for the worker, as JSON. */
  readonly payload: string;
  /** Slots needed before it may run; until then it stays in a wait list. Freed when the attempt ends. */
  readonly limits?: { readonly needs: readonly LimitNeed[]; readonly forced?: boolean };
}

/** Puts attempts in the queue; `limited` ones hold slots. */
export function* enqueue(list: readonly ReadyRow[], limited: boolean, now: number): Operation<void> {
  yield* enqueueRows(list.map((ready) => readyRow(ready, limited, now)));
}

/** Makes the queue row of an attempt. */
export function readyRow(ready: ReadyRow, limited: boolean, now: number): Row {
  return rowOf(readyTable, {
    worker_group: ready.workerGroup,
    run_priority: ready.runPriority,
    run: ready.run,
    task_priority: ready.taskPriority,
    task: ready.task,
    shard: ready.shard,
    number: ready.number,
    target: ready.target ?? null,
    avoid: ready.avoid ?? null,
    wished: ready.wished ? 1 : null,
    limited: Number(limited),
    payload: ready.payload,
    queued_at: now,
    cores: inThousandths(ready.cores),
    memory: ready.memory ?? null,
  });
}

/** Converts cores to the store's thousandths, which have no fractions. */
export function inThousandths(cores: number | undefined): number | null {
  return cores === undefined ? null : Math.round(1_000 * cores);
}

/**
 * How long an attempt is reserved for the worker that its group chose, in milliseconds: a worker with room
 * asks at once.
 */
export const WISH_LASTS = 2_000;

/**
 * Opens attempts to all workers if their chosen worker has not taken them in time; attempts being taken are
 * skipped.
 */
export function* endWishes(before: number): Operation<void> {
  const late = (column: string) => `SELECT ${column} FROM ready WHERE wished = 1 AND queued_at <= ?1`;
  yield* change(
    {
      sqlite: 'UPDATE ready SET target = NULL, wished = NULL WHERE wished = 1 AND queued_at <= ?1',
      postgres: `UPDATE ready SET target = NULL, wished = NULL
        WHERE ctid = ANY (ARRAY(${late('ctid')} FOR UPDATE SKIP LOCKED))`,
    },
    before,
  );
}

const TARGET = placeOf(readyTable, 'target');
const WISHED = placeOf(readyTable, 'wished');

/** Puts rows in the queue; rows meant for a worker that takes nothing any more are open to all. */
export function* enqueueRows(rows: readonly Row[]): Operation<void> {
  const targets = new Set<Value>();
  for (const row of rows) if (row[TARGET] !== null) targets.add(row[TARGET]);
  if (targets.size === 0) {
    yield* insertRows(readyTable, rows);
    return;
  }
  const live = yield* liveTargets([...targets]);
  yield* insertRows(
    readyTable,
    rows.map((row) => (live.has(row[TARGET]) ? row : row.with(TARGET, null).with(WISHED, null))),
  );
}

/**
 * Those of the targeted workers that can take rows. They are share-locked: declaring one lost waits for this
 * transaction and then finds the rows.
 */
function* liveTargets(targets: readonly Value[]): Operation<ReadonlySet<Value>> {
  const { rows } = yield* batch<{ id: string }>(
    {
      sqlite: 'SELECT id FROM worker WHERE id = ?1 AND lost = 0 AND draining = 0 AND unhealthy IS NULL',
      postgres: `SELECT id FROM worker WHERE id = ANY (?1::text[]) AND lost = 0 AND draining = 0 AND unhealthy IS NULL ORDER BY id FOR SHARE`,
    },
    ['text'],
    targets.map((target) => [target]),
  );
  return new Set(rows.map(({ id }) => id));
}
