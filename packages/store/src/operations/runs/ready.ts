/** The ready queue: attempts that may run now, each a token that a worker's take turns into an assignment. */
import { batch, change, type Operation, type Value } from '../../operation.ts';
import { insertRows, placeOf, type Row, rowOf } from '../../table.ts';
import { readyTable } from '../../tables.ts';
import type { LimitNeed } from '../limits/limit-book.ts';
import type { AttemptRef } from './attempt-key.ts';

/** A row for the ready queue. */
export interface ReadyRow extends AttemptRef {
  readonly workerGroup: string;
  readonly runPriority: number;
  readonly taskPriority: number;
  /** Only this worker takes it, as long as that lives and is not draining. */
  readonly target?: string;
  /** Its group chose the target: when that does not take it for `WISH_LASTS`, anyone may. */
  readonly wished?: boolean;
  /** This worker takes it only if its group has no other. */
  readonly avoid?: string;
  /** What its worker must have left; memory in bytes. */
  readonly cores?: number;
  readonly memory?: number;
  /** What the worker gets, as JSON. */
  readonly payload: string;
  /** Slots it needs before it may run; until then it stands in a wait list. Freed when the attempt ends. */
  readonly limits?: { readonly needs: readonly LimitNeed[]; readonly forced?: boolean };
}

/** Puts attempts in the queue; `limited` ones hold slots. */
export function* enqueue(list: readonly ReadyRow[], limited: boolean, now: number): Operation<void> {
  yield* enqueueRows(list.map((ready) => readyRow(ready, limited, now)));
}

/** An attempt as a row of the queue. */
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

/** Cores as the store keeps them, which has no fractions. */
export function inThousandths(cores: number | undefined): number | null {
  return cores === undefined ? null : Math.round(1_000 * cores);
}

/** How long only the worker that its group chose takes an attempt: it asks at once if it has room. */
export const WISH_LASTS = 2_000;

/** Attempts that the worker chosen for them has not taken in time are for anyone; those being taken are left alone. */
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

/** Puts rows in the queue; what is meant for a worker that takes nothing any more is for anyone. */
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
 * Of the workers that rows are meant for, those that can take them. They are share-locked: one that is declared lost
 * meanwhile waits for this transaction and then finds the rows.
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
