/** Reads for lists and pages: always by key, never counting, never the whole table. */
import type { RunFields } from '@orrery/core/run';
import type { RunState } from '@orrery/core/state';
import { type Operation, row, rows } from '../../operation.ts';
import { standingOf } from '../runs/standing.ts';

/** A run in a list. */
export interface RunRow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly kind: string;
  readonly trigger: string;
  readonly state: string;
  readonly owner: string | null;
  readonly businessTime: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds between its rounds. */
  readonly idle: number;
  /** 0 if it does not count as a run of its workflow. */
  readonly counted: number;
}

/** A stored task run. */
export interface TaskRunRow {
  readonly task: number;
  readonly state: string;
  readonly round: number;
  readonly since: number;
  readonly body: string;
}

/** A finished attempt. */
export interface AttemptRow {
  readonly task: number;
  readonly shard: number;
  readonly number: number;
  readonly state: string;
  readonly worker: string | null;
  readonly late: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  readonly exitCode: number | null;
  readonly cpuTime: number | null;
  readonly peakMemory: number | null;
  readonly error: string | null;
  readonly logTail: string | null;
  /** State from a report that came after the attempt had already ended otherwise. */
  readonly lateState: string | null;
}

/** The columns of a `RunRow`. */
export const runColumns = `id, project, name, version, kind, trigger_kind AS trigger, state, owner, business_time AS "businessTime",
  created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt", idle, counts AS counted`;

/** Runs, newest first; `before` is the last id of the previous page. */
export function* listRuns(input: {
  readonly workflow?: number;
  readonly state?: string;
  readonly before?: number;
  readonly limit: number;
}): Operation<readonly RunRow[]> {
  const filters = ['id < ?1'];
  const params: (string | number)[] = [input.before ?? Number.MAX_SAFE_INTEGER, input.limit];
  if (input.workflow !== undefined) filters.push(`workflow = ?${params.push(input.workflow)}`);
  if (input.state !== undefined) {
    filters.push(`state = ?${params.push(input.state)}`);
    // A literal in the text, so that the planner recognises the matching index.
    filters.push(`standing = ${standingOf(input.state as RunState)}`);
  }
  return yield* rows<RunRow>(
    `SELECT ${runColumns} FROM run WHERE ${filters.join(' AND ')} ORDER BY id DESC LIMIT ?2`,
    ...params,
  );
}

/** One run with its fields and task runs. */
export function* readRun({ id }: { readonly id: number }): Operation<
  | {
      run: RunRow;
      workflow: number;
      fields: RunFields;
      tasks: readonly TaskRunRow[];
      queued: readonly AttemptPlace[];
    }
  | undefined
> {
  const found = yield* row<RunRow & { workflow: number; fields: string }>(
    `SELECT ${runColumns}, workflow, fields FROM run WHERE id = ?1`,
    id,
  );
  if (!found) return undefined;
  const { fields, workflow, ...run } = found;
  const tasks = yield* rows<TaskRunRow>(
    'SELECT task, state, round, since, body FROM task_run WHERE run = ?1 ORDER BY task',
    id,
  );
  const queued = yield* rows<AttemptPlace>(
    `SELECT task, shard, number, CAST(NULL AS TEXT) AS worker, queued_at AS "queuedAt", CAST(NULL AS BIGINT) AS "assignedAt" FROM ready WHERE run = ?1
     UNION ALL SELECT task, shard, number, NULL, since, NULL FROM limit_wait WHERE run = ?1 AND task >= 0
     UNION ALL SELECT task, shard, number, worker, queued_at, assigned_at FROM assignment WHERE run = ?1`,
    id,
  );
  return { run, workflow, fields: JSON.parse(fields), tasks, queued };
}

/** Location of an open attempt: in the queue or a wait list, or with a worker. */
export interface AttemptPlace {
  readonly task: number;
  readonly shard: number;
  readonly number: number;
  readonly worker: string | null;
  readonly queuedAt: number;
  readonly assignedAt: number | null;
}

/** The finished attempts of a run, or of one of its tasks. */
export function* listAttempts({
  run,
  task,
}: {
  readonly run: number;
  readonly task?: number;
}): Operation<readonly AttemptRow[]> {
  return yield* rows<AttemptRow>(
    `SELECT task, shard, number, state, worker, late, started_at AS "startedAt", ended_at AS "endedAt", exit_code AS "exitCode",
       cpu_time AS "cpuTime", peak_memory AS "peakMemory", error, log_tail AS "logTail", late_state AS "lateState"
     FROM attempt WHERE run = ?1 ${task === undefined ? '' : 'AND task = ?2'} ORDER BY task, shard, number`,
    run,
    ...(task === undefined ? [] : [task]),
  );
}
