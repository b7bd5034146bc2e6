/** Outcomes: an attempt ends once, with the assignment it removes. Later reports change nothing. */
import { batch, type Operation } from '../../operation.ts';
import { insertRows, placeOf, type Row, rowOf } from '../../table.ts';
import { attemptTable } from '../../tables.ts';
import {
  type AttemptRef,
  firstOfEach,
  inKeyOrder,
  isAmong,
  isKey,
  keyColumns,
  keyText,
  keyTypes,
  keyValues,
} from './attempt-key.ts';

/** An outcome reported by a worker. */
export interface OutcomeRow extends AttemptRef {
  readonly worker: string;
  readonly workerEpoch: number;
  readonly state: string;
  /** The attempt was decided without this report, so it is only recorded. */
  readonly late: boolean;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly exitCode: number | null;
  readonly cpuTime: number | null;
  readonly peakMemory: number | null;
  readonly error: string | null;
  readonly logTail: string | null;
}

/** An ended assignment; a limited one holds slots to free. */
export interface EndedAssignment extends AttemptRef {
  readonly limited: number;
  readonly queuedAt: number;
  readonly assignedAt: number;
}

/** The columns of an `EndedAssignment`. */
export const endedColumns = `${keyColumns}, limited, queued_at AS "queuedAt", assigned_at AS "assignedAt"`;

/**
 * SQL: the same worker and epoch, without the index of a worker's assignments, which would find all of them.
 */
const sameLife = `AND t.worker || '' = k.worker AND t.worker_epoch + 0 = k.worker_epoch`;

const endTypes = [...keyTypes, 'text', 'int'] as const;

/** Rows that remove assignments: attempt, worker and worker epoch, once per attempt. */
export function endRows(outcomes: readonly OutcomeRow[]): Row[] {
  return inKeyOrder(firstOfEach(outcomes)).map((outcome) => [
    ...keyValues(outcome),
    outcome.worker,
    outcome.workerEpoch,
  ]);
}

/** Removes assignments; returns those that existed. */
export function* endAssignments(ends: readonly Row[]): Operation<readonly EndedAssignment[]> {
  const { rows } = yield* batch<EndedAssignment>(
    {
      sqlite: `DELETE FROM assignment WHERE ${isKey} AND worker = ?5 AND worker_epoch = ?6 RETURNING ${endedColumns}`,
      postgres: `DELETE FROM assignment WHERE ${isAmong('assignment', { types: endTypes, further: ['worker', 'worker_epoch'], condition: sameLife })}
        RETURNING ${endedColumns}`,
    },
    endTypes,
    ends,
  );
  return rows;
}

/** The history of attempts as rows, without the times of their assignments. */
export function attemptRows(outcomes: readonly OutcomeRow[]): Row[] {
  return inKeyOrder(firstOfEach(outcomes)).map((outcome) =>
    rowOf(attemptTable, {
      run: outcome.run,
      task: outcome.task,
      shard: outcome.shard,
      number: outcome.number,
      state: outcome.state,
      worker: outcome.worker,
      late: Number(outcome.late),
      queued_at: null,
      assigned_at: null,
      started_at: outcome.startedAt,
      ended_at: outcome.endedAt,
      exit_code: outcome.exitCode,
      cpu_time: outcome.cpuTime,
      peak_memory: outcome.peakMemory,
      error: outcome.error,
      log_tail: outcome.logTail,
    }),
  );
}

const QUEUED_AT = placeOf(attemptTable, 'queued_at');
const ASSIGNED_AT = placeOf(attemptTable, 'assigned_at');

/**
 * Records the history of attempts, with the times of the ended assignments. A report that contradicts the
 * outcome is recorded beside it, once.
 */
export function* recordAttempts(
  attempts: readonly Row[],
  ended: readonly EndedAssignment[],
): Operation<void> {
  const assignments = new Map(ended.map((assignment) => [keyText(assignment), assignment]));
  yield* insertRows(
    attemptTable,
    attempts.map((row) => {
      const assignment = assignments.get(rowKey(row));
      if (!assignment) return row;
      return row.with(QUEUED_AT, assignment.queuedAt).with(ASSIGNED_AT, assignment.assignedAt);
    }),
    `(${keyColumns}) DO UPDATE SET late_state = excluded.state
       WHERE attempt.state <> excluded.state AND attempt.late_state IS NULL`,
  );
}

/** The key that a row begins with, in the form of `keyText`. */
export function rowKey([run, task, shard, number]: Row): string {
  return `${run}.${task}.${shard}.${number}`;
}

/** The outcome of an attempt that can no longer be reported. */
export function lostOutcome(ref: AttemptRef, worker: string, reason: string, now: number): OutcomeRow {
  return {
    ...ref,
    worker,
    workerEpoch: 0,
    state: 'lost',
    late: false,
    startedAt: null,
    endedAt: now,
    exitCode: null,
    cpuTime: null,
    peakMemory: null,
    error: reason,
    logTail: null,
  };
}
