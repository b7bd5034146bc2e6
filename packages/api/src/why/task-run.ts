/** Why a task run is where it is. */

import { type DependentSpec, isLogicType } from '@orrery/core/model';
import { errorOf, NO_SHARD, type TaskRun, taskRunText } from '@orrery/core/run';
import { isFinal, type RunState, runMachine, taskMachine } from '@orrery/core/state';
import { english } from '@orrery/core/texts';
import type { TaskReason } from '@orrery/core/why';
import { evaluateDependent } from '@orrery/store/dependency';
import type { Context } from '../context.ts';
import { lastLine } from '../logs/last-line.ts';
import { readApproval } from '../runs/approvals.ts';
import { dueOf } from '../runs/columns.ts';
import { asRun, type FoundRun, taskRunOf } from '../runs/read.ts';
import { shownState } from '../runs/show-row.ts';
import { optionalTime } from '../time.ts';
import { whyLimited, whyQueued } from './queue.ts';

/** Explains a task run; `found` holds it on its page. */
export async function whyTaskRun(context: Context, found: FoundRun, index: number): Promise<TaskReason> {
  const { details } = found;
  const row = details.tasks.find(({ task }) => task === index);
  const task = row && taskRunOf(row);
  const state = shownState(task?.state ?? 'pending', task?.round ?? 1, details.fields.round);
  if (!task || state === 'pending') return whyPending(context, found, index);
  switch (state) {
    case 'excluded':
      return { code: 'excluded' };
    case 'delayed':
      return { code: 'delayed', until: optionalTime(task.due) };
    case 'submitted':
      return whySubmitted(context, found, index);
    case 'running':
      return (await whatWaits(context, found, index)) ?? whatRuns(found, index, false);
    case 'retrying':
      return {
        code: 'retrying',
        error: errorOf(task) ?? 'no reason was given',
        at: optionalTime(dueOf(task)),
      };
    case 'waiting':
      return whyWaiting(context, found, index, task);
    case 'paused':
      return { code: 'held' };
    case 'stopping':
      return whatRuns(found, index, true);
    default:
      return howEnded(state, task);
  }
}

/** Predecessors that have not ended, or why the run never reaches the task. */
async function whyPending(
  { store }: Context,
  { details, plan }: FoundRun,
  index: number,
): Promise<TaskReason> {
  const { fields, run } = details;
  if (fields.state === 'waiting') return { code: 'run-not-started' };
  if (isFinal(runMachine, fields.state)) return { code: 'never-had-turn', run: fields.state };
  const { needs, trigger } = plan.tasks[index].spec;
  const before = needs.map((name) => ({ name, task: plan.index.get(name) ?? -1 }));
  const rows = await store.readTaskStates({ run: run.id, tasks: before.map(({ task }) => task) });
  const states = new Map(
    rows.map(({ task, state, round }) => [task, shownState(state, round, fields.round)]),
  );
  const untouched = shownState('pending', 1, fields.round);
  const tasks = before
    .map(({ name, task }) => ({
      id: taskRunText({ run: run.id, task: name }),
      name,
      state: states.get(task) ?? untouched,
    }))
    .filter(({ state }) => !isFinal(taskMachine, state as TaskRun['state']));
  return tasks.length === 0 ? { code: 'about-to-start' } : { code: 'needs', tasks, rule: trigger };
}

async function whySubmitted(
  context: Context,
  { details, plan }: FoundRun,
  index: number,
): Promise<TaskReason> {
  const queued = details.open.find(({ task, worker }) => task === index && worker === null);
  const reason =
    queued && (await whyQueued(context, { run: details.run.id, ...queued }, details.run.project));
  if (reason) return reason;
  const row = details.tasks.find(({ task }) => task === index);
  const shards = row ? taskRunOf(row).shards : [];
  const waiting = shards.findIndex(({ state, worker }) => state === 'out' && worker === undefined);
  const shard = plan.tasks[index].spec.shards ? waiting : NO_SHARD;
  const number = shards[waiting]?.attempt ?? 1;
  const holder = { run: details.run.id, task: index, shard, number };
  const full = await whyLimited(context, holder, details.run.project);
  return full ?? { code: 'entering-queue' };
}

/** What an attempt whose type polls is waiting for; undefined for others. */
async function whatWaits(
  context: Context,
  { details, plan }: FoundRun,
  index: number,
): Promise<TaskReason | undefined> {
  const { spec, logic } = plan.tasks[index];
  const taken = details.open.find(({ task, worker }) => task === index && worker !== null);
  if (!taken?.worker || logic || spec.shards) return undefined;
  if (!(await context.taskTypes()).some(({ name, waits }) => name === spec.type && waits)) return undefined;
  const { worker, number } = taken;
  const attempt = { run: details.run.id, task: index, shard: NO_SHARD, number };
  const seen = await lastLine(context, { workflow: plan.workflow.name, attempt, worker });
  return { code: 'attempt-waits', attempt: number, worker, seen };
}

/** Which attempts have a worker. */
function whatRuns({ details, plan }: FoundRun, index: number, stopping: boolean): TaskReason {
  const taken = details.open.filter(({ task, worker }) => task === index && worker !== null);
  const workers = [...new Set(taken.map(({ worker }) => worker ?? ''))];
  const { shards } = plan.tasks[index].spec;
  if (taken.length === 0) return { code: 'reported', stopping };
  if (shards) return { code: 'shards-run', shards: taken.length, of: shards.count, workers, stopping };
  return { code: 'attempt-runs', attempt: taken[0].number, workers, stopping };
}

const SHOWN_CHILDREN = 20;

async function whyWaiting(
  context: Context,
  found: FoundRun,
  index: number,
  task: TaskRun,
): Promise<TaskReason> {
  const { store, clock } = context;
  const { details, plan } = found;
  const { spec, logic } = plan.tasks[index];
  if (logic === 'dependent' && isLogicType(spec.type)) {
    const asked = (spec.with as DependentSpec).groups.flatMap(({ items }) => items);
    const { items } = await evaluateDependent(asRun(found), index, store, clock.now());
    return {
      code: 'depends',
      on: items.map(({ item, state, reason }, k) => ({
        workflow: `${item.project}/${item.workflow}`,
        window: asked[k].window,
        state,
        reason: english(reason),
      })),
    };
  }
  if (logic === 'approval') {
    const id = { run: details.run.id, task: spec.name };
    const { message, until } = await readApproval(context, id);
    return { code: 'approval', message, taskRun: taskRunText(id), until };
  }
  const children = await store.listChildRuns({ run: details.run.id, task: index, limit: SHOWN_CHILDREN });
  const runs = children
    .filter(({ state }) => !isFinal(runMachine, state as RunState))
    .map(({ id, state }) => ({ id: String(id), state }));
  if (task.series) {
    const { total, succeeded, failed, open, paused } = task.series;
    return {
      code: 'series',
      total,
      ended: succeeded + failed.length,
      open: open.length + paused.length,
      runs,
    };
  }
  return runs.length === 0 ? { code: 'child-queued' } : { code: 'child', runs };
}

function howEnded(state: string, task: TaskRun): TaskReason {
  const reason = errorOf(task) ?? undefined;
  switch (state) {
    case 'success':
      return task.forced ? { code: 'forced', reason } : { code: 'success', reason: task.reason };
    case 'passed':
      return { code: 'passed' };
    case 'skipped':
    case 'killed':
      return { code: state, reason };
    default:
      return { code: 'failed', reason };
  }
}
