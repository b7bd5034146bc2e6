/** Outcomes: an attempt ends once, with the assignment it takes away. Whatever is said of it later changes nothing. */
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

/** An outcome that a worker reported. */
export interface OutcomeRow extends AttemptRef {
  readonly worker: string;
  readonly workerEpoch: number;
  readonly state: string;
  /** It was decided without this report, so that it only is recorded. */
  readonly late: boolean;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly exitCode: number | null;
  readonly cpuTime: number | null;
  readonly peakMemory: number | null;
  readonly error: string | null;
  readonly logTail: string | null;
}

/** An assignment that came to its end; a limited one holds slots that are to be freed. */
export interface EndedAssignment extends AttemptRef {
  readonly limited: number;
  readonly queuedAt: number;
  readonly assignedAt: number;
}

/** The columns of an `EndedAssignment`. */
export const endedColumns = `${keyColumns}, limited, queued_at AS "queuedAt", assigned_at AS "assignedAt"`;

/** Of the same worker; not by the index of its assignments, which finds all of them. */
const sameLife = `AND t.worker || '' = k.worker AND t.worker_epoch + 0 = k.worker_epoch`;

const endTypes = [...keyTypes, 'text', 'int'] as const;

/** What takes an assignment away: attempt, worker and worker epoch, of each attempt once. */
export function endRows(outcomes: readonly OutcomeRow[]): Row[] {
  return inKeyOrder(firstOfEach(outcomes)).map((outcome) => [
    ...keyValues(outcome),
    outcome.worker,
    outcome.workerEpoch,
  ]);
}

/** Takes assignments away; those that were there. */
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
 * Keeps the history of attempts, with the times of the assignments that ended with them. A report that contradicts the
 * outcome is noted beside it, once.
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

/** The key that a row begins with, as `keyText` has it. */
export function rowKey([run, task, shard, number]: Row): string {
  return `${run}.${task}.${shard}.${number}`;
}

/** The outcome of an attempt that nobody can report on any more. */
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
