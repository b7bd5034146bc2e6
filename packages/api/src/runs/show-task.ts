/** Task runs and attempts as the API shows them. */
import { attemptText, type TaskRunName, taskRunText } from '@orrery/core/contract';
import { NO_SHARD, type TaskRun } from '@orrery/core/run';
import type { AnyAttempt } from '@orrery/store';
import { optionalTime } from '../time.ts';
import { type FoundRun, type TaskRange, taskRunOf } from './read.ts';
import { shownState } from './show.ts';

/** The task runs of a page, also those that nothing has happened to. */
export function showTasks(found: FoundRun, { from, to }: TaskRange) {
  const { details, plan } = found;
  const touched = new Map(details.tasks.map((row) => [row.task, taskRunOf(row)]));
  return plan.tasks.slice(from, to).map((_, k) => showTask(found, from + k, touched.get(from + k)));
}

/** One task run in a list. */
function showTask({ details, plan }: FoundRun, index: number, task: TaskRun | undefined) {
  const { name, type } = plan.tasks[index].spec;
  const attempt = task?.shards.reduce((most, shard) => Math.max(most, shard.attempt), 0) ?? 0;
  const workers = [...new Set(task?.shards.flatMap(({ worker }) => worker ?? []))];
  return {
    id: taskRunText({ run: details.run.id, task: name }),
    name,
    type,
    state: shownState(task?.state ?? 'pending', task?.round ?? 1, details.fields.round),
    since: optionalTime(task?.since),
    round: task?.round ?? 1,
    /** Number of the last attempt, the highest of all shards; 0 before the first. */
    attempt,
    workers,
    reason: reasonOf(task),
    due: optionalTime(dueOf(task)),
    forced: task?.forced ?? false,
    shards: plan.tasks[index].spec.shards ? shardCounts(task) : null,
  };
}

/** One task run with its shards and outputs. */
export function showTaskRun(found: FoundRun & { readonly index: number }) {
  const { details, plan, index } = found;
  const [row] = details.tasks;
  const task = row && taskRunOf(row);
  const { needs, trigger, workerGroup } = plan.tasks[index].spec;
  return {
    ...showTask(found, index, task),
    run: details.run.id,
    needs,
    trigger,
    workerGroup: workerGroup ?? plan.workflow.workerGroup,
    startedAt: optionalTime(task?.started),
    outputs: task?.outputs ?? {},
    shardRuns: (task?.shards ?? []).map(({ state, attempt, failures, lost, due, worker, error }, shard) => ({
      shard: plan.tasks[index].spec.shards ? shard : null,
      state,
      attempt,
      failures,
      lost,
      due: optionalTime(due),
      worker: worker ?? null,
      error: error ?? null,
    })),
  };
}

/** One attempt of a task run. */
export function showAttempt(name: TaskRunName, attempt: AnyAttempt) {
  const { shard, number, state, worker, late, exitCode, cpuTime, peakMemory, error } = attempt;
  return {
    id: attemptText({ ...name, shard, number }),
    shard: shard === NO_SHARD ? null : shard,
    number,
    state,
    worker,
    queuedAt: optionalTime(attempt.queuedAt),
    assignedAt: optionalTime(attempt.assignedAt),
    startedAt: optionalTime(attempt.startedAt),
    endedAt: optionalTime(attempt.endedAt),
    exitCode,
    cpuTime,
    peakMemory,
    error,
    /** Its report came after the task run had gone on without it, and changed nothing. */
    late: late === 1,
  };
}

/** Why it is as it is: said of the task run, or by its last failed attempt. */
export function reasonOf(task: TaskRun | undefined): string | null {
  return task?.reason ?? task?.shards.find(({ error }) => error !== undefined)?.error ?? null;
}

/** When it goes on by itself: the end of its delay, or the earliest retry. */
export function dueOf(task: TaskRun | undefined): number | undefined {
  if (task?.state === 'delayed') return task.due;
  if (task?.state !== 'retrying') return undefined;
  const dues = task.shards.flatMap(({ state, due }) =>
    state === 'retrying' && due !== undefined ? [due] : [],
  );
  return dues.length > 0 ? Math.min(...dues) : undefined;
}

function shardCounts(task: TaskRun | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of task?.shards ?? []) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
