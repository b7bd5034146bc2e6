/** Reads many things by id, for showing changes to live-feed clients. */
import { batch, type Operation } from '../../operation.ts';
import { unnest } from '../../table.ts';
import type { Command } from '../runs/commands.ts';
import { type RunRow, runColumns, type TaskRunRow } from './reads.ts';

/** A run with the number of its last change. */
export interface RunRevision extends RunRow {
  readonly revision: number;
  /** Current round; tasks of another round are not part of it. */
  readonly round: number;
}

/** Runs by id, and the unclaimed commands; deleted ones are left out. */
export function* readRunsById({ ids }: { readonly ids: readonly number[] }): Operation<{
  runs: readonly RunRevision[];
  queued: readonly { readonly run: number; readonly command: Command; readonly createdAt: number }[];
}> {
  // Commands first: one claimed meanwhile is then among the runs.
  const commands = yield* byId<{ run: number; body: string; createdAt: number }>(
    'command',
    'seq',
    'seq AS run, body, created_at AS "createdAt"',
    ids,
  );
  const runs = yield* byId<Omit<RunRevision, 'round'> & { fields: string }>(
    'run',
    'id',
    `${runColumns}, revision, fields`,
    ids,
  );
  const created = new Set(runs.map(({ id }) => id));
  return {
    runs: runs.map(({ fields, ...run }) => ({ ...run, round: JSON.parse(fields).round })),
    queued: commands
      .filter(({ run }) => !created.has(run))
      .map(({ body, ...entry }) => ({ ...entry, command: JSON.parse(body) })),
  };
}

/** Task runs by run and number; those without events have no row. */
export function* readTaskRuns(input: {
  readonly tasks: readonly { readonly run: number; readonly task: number }[];
}): Operation<readonly (TaskRunRow & { readonly run: number })[]> {
  const types = ['int', 'int'] as const;
  const columns = 't.run, t.task, t.state, t.round, t.since, t.body';
  const { rows } = yield* batch<TaskRunRow & { run: number }>(
    {
      sqlite: `SELECT ${columns} FROM task_run t WHERE run = ?1 AND task = ?2`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} AS k(run, task)
        JOIN task_run t ON t.run = k.run AND t.task = k.task`,
    },
    types,
    input.tasks.map(({ run, task }) => [run, task]),
  );
  return rows;
}

/** Start times of the finished attempts of task runs, by attempt number. */
export function* readStartsOf(input: {
  readonly tasks: readonly { readonly run: number; readonly task: number }[];
}): Operation<readonly { readonly run: number; readonly task: number; readonly startedAt: number }[]> {
  const types = ['int', 'int'] as const;
  const began = 'a.run, a.task, a.number, min(a.started_at) AS "startedAt"';
  const each = 'a.started_at IS NOT NULL GROUP BY a.run, a.task, a.number ORDER BY a.run, a.task, a.number';
  const { rows } = yield* batch<{ run: number; task: number; startedAt: number }>(
    {
      sqlite: `SELECT ${began} FROM attempt a WHERE a.run = ?1 AND a.task = ?2 AND ${each}`,
      postgres: `SELECT ${began} FROM ${unnest(types)} AS k(run, task)
        JOIN attempt a ON a.run = k.run AND a.task = k.task WHERE ${each}`,
    },
    types,
    input.tasks.map(({ run, task }) => [run, task]),
  );
  return rows;
}

/** A workflow by id: its name, live version and draft. */
export interface WorkflowState {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly live: number | null;
  readonly draft: number | null;
  readonly offlineSince: number | null;
}

/** Workflows by id. */
export function* readWorkflowsById({
  ids,
}: {
  readonly ids: readonly number[];
}): Operation<readonly WorkflowState[]> {
  return yield* byId<WorkflowState>(
    'workflow',
    'id',
    `id, project, name, CASE WHEN deleted_at IS NULL THEN live END AS live, offline_since AS "offlineSince",
      (SELECT d.revision FROM draft d WHERE d.workflow = workflow.id) AS draft`,
    ids,
  );
}

/** A schedule by id: when it fires, and its workflow. */
export interface ScheduleState {
  readonly id: number;
  readonly workflow: number;
  readonly name: string;
  readonly enabled: number;
  readonly version: number;
  readonly nextDue: number | null;
  readonly firedUntil: number;
}

/** Schedules by id. */
export function* readSchedulesById({
  ids,
}: {
  readonly ids: readonly number[];
}): Operation<readonly ScheduleState[]> {
  return yield* byId<ScheduleState>(
    'schedule',
    'id',
    'id, workflow, name, enabled, version, next_due AS "nextDue", fired_until AS "firedUntil"',
    ids,
  );
}

function* byId<Row>(
  from: string,
  key: string,
  columns: string,
  ids: readonly number[],
): Operation<readonly Row[]> {
  const { rows } = yield* batch<Row>(
    {
      sqlite: `SELECT ${columns} FROM ${from} WHERE ${key} = ?1`,
      postgres: `SELECT ${columns} FROM ${from} WHERE ${key} = ANY(?1::int8[])`,
    },
    ['int'],
    ids.map((id) => [id]),
  );
  return rows;
}
