/** Reads for the API's page of one run: its request, a page of its task runs, and what it waits for. */
import type { Control, RunFields, RunRequest, Scope } from '@orrery/core/run';
import { batch, type Operation, row, rows } from '../../operation.ts';
import { unnest } from '../../table.ts';
import { bodyOf } from '../limits/wait-list.ts';
import type { AttemptRef } from '../runs/attempt-key.ts';
import { messageOf } from '../runs/inbox.ts';
import { type AttemptPlace, type RunRow, runColumns, type TaskRunRow } from './reads.ts';
import type { StateCount } from './run-list.ts';

/** A run with its request and one page of task runs. */
export interface RunDetails {
  readonly run: RunRow;
  /** Epoch of the owning process. */
  readonly ownerEpoch: number | null;
  readonly workflow: number;
  readonly request: RunRequest & { readonly scope: Scope };
  readonly fields: RunFields;
  readonly parent: { readonly run: number; readonly task: number } | null;
  /** Who asked for it; null if a schedule, a trigger or another run started it. */
  readonly startedBy: string | null;
  readonly tasks: readonly TaskRunRow[];
  /** Attempts of those tasks that are queued or on a worker. */
  readonly open: readonly AttemptPlace[];
  /** Controls the owner has not handled yet, oldest first. */
  readonly controls: readonly { readonly control: Control; readonly by: string; readonly at: number }[];
  /** Whether its inbox has messages. */
  readonly told: boolean;
}

/** One run and its task runs with indexes from `from`, inclusive, to `to`, exclusive. */
export function* readRunDetails(input: {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}): Operation<RunDetails | undefined> {
  const { id, from, to } = input;
  const found = yield* row<
    RunRow & {
      workflow: number;
      request: string;
      fields: string;
      parent: number | null;
      parent_task: number | null;
      ownerEpoch: number | null;
      startedBy: string | null;
    }
  >(
    `SELECT ${runColumns}, owner_epoch AS "ownerEpoch", workflow, request, fields, parent, parent_task,
       started_by AS "startedBy" FROM run WHERE id = ?1`,
    id,
  );
  if (!found) return undefined;
  const { workflow, ownerEpoch, request, fields, parent, parent_task, startedBy, ...run } = found;
  const tasks = yield* rows<TaskRunRow>(
    `SELECT task, state, round, since, body FROM task_run WHERE run = ?1 AND task >= ?2 AND task < ?3 ORDER BY task`,
    id,
    from,
    to,
  );
  const open = yield* rows<AttemptPlace>(
    `SELECT task, shard, number, CAST(NULL AS TEXT) AS worker, queued_at AS "queuedAt", CAST(NULL AS BIGINT) AS "assignedAt" FROM ready
       WHERE run = ?1 AND task >= ?2 AND task < ?3
     UNION ALL SELECT task, shard, number, NULL, since, NULL FROM limit_wait WHERE run = ?1 AND task >= ?2 AND task < ?3
     UNION ALL SELECT task, shard, number, worker, queued_at, assigned_at FROM assignment
       WHERE run = ?1 AND task >= ?2 AND task < ?3`,
    id,
    from,
    to,
  );
  const inbox = yield* rows<{ body: string; created_at: number }>(
    'SELECT body, created_at FROM inbox WHERE run = ?1 ORDER BY seq LIMIT 100',
    id,
  );
  const waiting = yield* rows<{ body: string; since: number }>(
    'SELECT body, since FROM limit_wait WHERE run = ?1 AND task = -1',
    id,
  );
  return {
    run,
    ownerEpoch,
    workflow,
    request: JSON.parse(request),
    fields: JSON.parse(fields),
    parent: parent === null ? null : { run: parent, task: parent_task ?? 0 },
    startedBy,
    tasks,
    open,
    controls: [
      ...inbox.map(({ body, created_at }) => ({ message: messageOf(body), at: created_at })),
      ...waiting.map(({ body, since }) => ({ message: bodyOf({ body })?.message, at: since })),
    ].flatMap(({ message, at }) =>
      message?.type === 'control' ? [{ control: message.control, by: message.by, at }] : [],
    ),
    told: inbox.length > 0,
  };
}

/**
 * Number of a run's task runs in each state, by round; those without events have no row. Reads all of them.
 */
export function* countTaskRuns(input: { readonly run: number }): Operation<readonly StateCount[]> {
  return yield* rows<StateCount>(
    'SELECT state, round, count(*) AS count FROM task_run WHERE run = ?1 GROUP BY state, round',
    input.run,
  );
}

/** States of some tasks of a run, in no particular order; those without events are left out. */
export function* readTaskStates(input: {
  readonly run: number;
  readonly tasks: readonly number[];
}): Operation<readonly { readonly task: number; readonly state: string; readonly round: number }[]> {
  const types = ['int', 'int'] as const;
  const { rows: found } = yield* batch<{ task: number; state: string; round: number }>(
    {
      sqlite: 'SELECT task, state, round FROM task_run WHERE run = ?1 AND task = ?2',
      postgres: `SELECT t.task, t.state, t.round FROM task_run t
        JOIN ${unnest(types)} AS k(run, task) ON t.run = k.run AND t.task = k.task`,
    },
    types,
    input.tasks.map((task) => [input.run, task]),
  );
  return found;
}

/** Limit of a counted place in line. */
const MOST_COUNTED = 10_000;

/** Place of an attempt in the queue of its worker group. */
export interface QueuePlace {
  readonly group: string;
  readonly target: string | null;
  /** 1: its group chose the target, for a short time. */
  readonly wished: number | null;
  readonly avoid: string | null;
  readonly ahead: number;
  /** How many of the attempts before it belong to runs with a higher priority. */
  readonly higher: number;
  /** Requested resources: cores in thousandths, memory in bytes. */
  readonly cores: number | null;
  readonly memory: number | null;
}

/** The place of a queued attempt; undefined once it has left the queue. */
export function* readQueuePlace(attempt: AttemptRef): Operation<QueuePlace | undefined> {
  const { run, task, shard, number } = attempt;
  return yield* row<QueuePlace>(
    `SELECT r.worker_group AS "group", r.target, r.wished, r.avoid, r.cores, r.memory, (
       SELECT count(*) FROM (
         SELECT 1 FROM ready o WHERE o.worker_group = r.worker_group
           AND (o.run_priority, o.run, o.task_priority, o.task, o.shard) < (r.run_priority, r.run, r.task_priority, r.task, r.shard)
         LIMIT ${MOST_COUNTED}) ahead) AS ahead, (
       SELECT count(*) FROM (
         SELECT 1 FROM ready o WHERE o.worker_group = r.worker_group AND o.run_priority < r.run_priority
         LIMIT ${MOST_COUNTED}) higher) AS higher
     FROM ready r WHERE r.run = ?1 AND r.task = ?2 AND r.shard = ?3 AND r.number = ?4`,
    run,
    task,
    shard,
    number,
  );
}

/** Place of a run or an attempt in a limit's wait list, and the state of that limit. */
export interface LimitPlace {
  readonly name: string;
  readonly slots: number;
  readonly held: number;
  readonly ahead: number;
}

/**
 * The limit that an attempt, or a run (task -1, shard -1, number 0), waits for; undefined if it waits for
 * none.
 */
export function* readLimitPlace(holder: AttemptRef): Operation<LimitPlace | undefined> {
  const { run, task, shard, number } = holder;
  return yield* row<LimitPlace>(
    `SELECT w.name, s.slots, s.held, (
       SELECT count(*) FROM (
         SELECT 1 FROM limit_wait o WHERE o.name = w.name AND o.owner = w.owner AND o.paused = 0
           AND (o.priority, o.seq) < (w.priority, w.seq)
         LIMIT ${MOST_COUNTED}) ahead) AS ahead
     FROM limit_wait w JOIN limit_size s ON s.name = w.name
     WHERE w.run = ?1 AND w.task = ?2 AND w.shard = ?3 AND w.number = ?4`,
    run,
    task,
    shard,
    number,
  );
}

/** Number of a worker's attempts, and their requested resources: cores in thousandths, memory in bytes. */
export interface WorkerUse {
  readonly worker: string;
  readonly count: number;
  readonly cores: number;
  readonly memory: number;
}

/** The load of each worker. */
export function* countAssignments(): Operation<readonly WorkerUse[]> {
  return yield* rows(
    `SELECT worker, count(*) AS count, COALESCE(sum(cores), 0) AS cores, COALESCE(sum(memory), 0) AS memory
     FROM assignment GROUP BY worker`,
  );
}

/** A run by its id and state. */
export interface RunState {
  readonly id: number;
  readonly state: string;
}

/** Earlier runs of a workflow that are still open, oldest first. */
export function* listOpenRuns(input: {
  readonly workflow: number;
  readonly before: number;
  readonly limit: number;
}): Operation<readonly RunState[]> {
  // `+` keeps the planner off the index of all runs of the workflow: few runs are open, many have ended.
  return yield* rows<RunState>(
    `SELECT id, state FROM run WHERE standing = 0
       AND +workflow = ?1 AND id < ?2 ORDER BY id LIMIT ?3`,
    input.workflow,
    input.before,
    input.limit,
  );
}

/** A child run: its state, and the task that started it. */
export interface ChildState extends RunState {
  readonly task: number;
  readonly businessTime: number;
}

/** Child runs started by a run or by one of its task runs, newest first. */
export function* listChildRuns(input: {
  readonly run: number;
  readonly task?: number;
  readonly limit: number;
}): Operation<readonly ChildState[]> {
  const { run, task, limit } = input;
  return yield* rows<ChildState>(
    `SELECT id, state, parent_task AS task, business_time AS "businessTime" FROM run WHERE parent = ?1 ${task === undefined ? '' : 'AND parent_task = ?3'}
     ORDER BY id DESC LIMIT ?2`,
    run,
    limit,
    ...(task === undefined ? [] : [task]),
  );
}

/** Replays of a run, newest first, including unclaimed ones. */
export function* listReplays(input: {
  readonly run: number;
  readonly limit: number;
}): Operation<readonly RunState[]> {
  return yield* rows<RunState>(
    `SELECT id, state FROM run WHERE replay_of = ?1
     UNION ALL SELECT seq, 'queued' FROM command WHERE replay_of = ?1
     ORDER BY id DESC LIMIT ?2`,
    input.run,
    input.limit,
  );
}
