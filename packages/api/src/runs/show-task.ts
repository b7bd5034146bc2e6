/** One task run and its attempts as the API shows them. */

import type { Action, Answer } from '@orrery/contract';
import { InvalidInput } from '@orrery/core/errors';
import { isOpenTo } from '@orrery/core/model/uses';
import { parameterVariable, shardVariables, toldVariables } from '@orrery/core/params';
import {
  attemptNameText,
  type Control,
  errorOf,
  NO_SHARD,
  refusal,
  settingsOf,
  type TaskRunName,
  taskRunText,
} from '@orrery/core/run';
import { isFinal, type RunState, type TaskState, taskMachine } from '@orrery/core/state';
import type { AnyAttempt } from '@orrery/store';
import type { Context } from '../context.ts';
import { optionalTime, timeText } from '../time.ts';
import { explainTaskRun } from '../why/explain.ts';
import { action } from '../workflows/actions.ts';
import { dueOf, lastAttempt, shardCounts, startTimes } from './columns.ts';
import { asRun, type FoundRun, taskRunOf } from './read.ts';
import { shownState } from './show-row.ts';
import { wholeRun } from './whole.ts';

type ShownTaskRun = Answer<'showTaskRun'>;

/** Child runs shown of a task run. */
const SHOWN_CHILDREN = 20;

/** Parameters are resolved from all task runs before this one; of larger runs that would take too long. */
const MOST_TASKS = 20_000;

/** A task run with its shards, outputs and what it was given. */
export async function showTaskRun(
  context: Context,
  found: FoundRun & { readonly index: number },
): Promise<ShownTaskRun> {
  const { details, plan, index } = found;
  const [row] = details.tasks;
  const task = row && taskRunOf(row);
  const { spec } = plan.tasks[index];
  const range = { from: index, to: index + 1 };
  const known = new Map(task ? [[index, task]] : []);
  const [starts, children, given, why, environment] = await Promise.all([
    startTimes(context.store, found, range, known),
    context.store.listChildRuns({ run: details.run.id, task: index, limit: SHOWN_CHILDREN }),
    givenTo(context, found),
    explainTaskRun(context, found, index),
    environmentOf(context, found),
  ]);
  const state = shownState(task?.state ?? 'pending', task?.round ?? 1, details.fields.round) as TaskState;
  return {
    id: taskRunText({ run: details.run.id, task: spec.name }),
    run: details.run.id,
    index,
    name: spec.name,
    type: spec.type,
    state,
    since: optionalTime(task?.since || undefined),
    round: task?.round ?? 1,
    attempt: lastAttempt(task),
    workers: [...new Set(task?.shards.flatMap(({ worker }) => worker ?? []))],
    reason: errorOf(task),
    due: optionalTime(dueOf(task)),
    forced: task?.forced ?? false,
    needs: [...spec.needs],
    trigger: spec.trigger,
    workerGroup: spec.workerGroup ?? plan.workflow.workerGroup,
    taskGroup: spec.group?.name ?? null,
    queuedAt: optionalTime(task?.started),
    startedAt: optionalTime(starts.get(index)),
    endedAt: optionalTime(task && isFinal(taskMachine, state) ? task.since : undefined),
    ...given,
    environment: {
      name: environment.name,
      variables: [
        ...environment.variables,
        ...Object.keys(given.params ?? {}).map(parameterVariable),
        ...toldVariables,
        ...(spec.shards ? shardVariables : []),
      ],
    },
    outputs: task?.outputs ?? {},
    shards: spec.shards ? shardCounts(task) : null,
    shardRuns: (task?.shards ?? []).map((shard, k) => ({
      shard: spec.shards ? k : null,
      state: shard.state,
      attempt: shard.attempt,
      failures: shard.failures,
      lost: shard.lost,
      due: optionalTime(shard.due),
      worker: shard.worker ?? null,
      error: shard.error ?? null,
    })),
    children: children.map(({ id, state, businessTime }) => ({
      id,
      state: state as RunState,
      businessTime: timeText(businessTime),
    })),
    actions: actionsOf(found, spec.name),
    why,
  };
}

/** Its parameters and settings as things stand; without the values where one cannot be resolved. */
async function givenTo(
  context: Context,
  found: FoundRun & { readonly index: number },
): Promise<Pick<ShownTaskRun, 'params' | 'settings'>> {
  const { plan, index } = found;
  const unresolved = { params: null, settings: plan.tasks[index].spec.with ?? null };
  if (plan.tasks.length > MOST_TASKS) return unresolved;
  try {
    const { params, with: settings } = settingsOf(await wholeRun(context, found), index);
    return { params, settings: settings ?? null };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return unresolved;
  }
}

/** The environment that is put in when it is sent to a worker; without variables where it is not there. */
async function environmentOf(
  { store }: Context,
  { plan, index }: FoundRun & { readonly index: number },
): Promise<{ readonly name: string | null; readonly variables: readonly string[] }> {
  const name = plan.tasks[index].spec.environment ?? plan.workflow.environment;
  if (name === undefined) return { name: null, variables: [] };
  const [environment] = await store.readEnvironments({ names: [name] });
  const open = environment && isOpenTo(environment.projects, plan.workflow.project);
  return { name, variables: open ? Object.keys(environment.variables) : [] };
}

/** What can be done with it, and with its run from it on. */
function actionsOf(found: FoundRun, task: string): Action[] {
  const run = asRun(found);
  const controls: readonly (readonly [name: string, control: Control])[] = [
    ['force', { type: 'force', task }],
    ['kill', { type: 'kill', task }],
    ['start-now', { type: 'start-now', task }],
    ['run-from-here', { type: 'rerun', scope: { kind: 'from', tasks: [task] } }],
    ['recover', { type: 'recover' }],
  ];
  return controls.map(([name, control]) => action(name, refusal(run, control)));
}

/** One attempt of a task run. */
export function showAttempt(
  name: TaskRunName,
  attempt: AnyAttempt,
): Answer<'listAttempts'>['attempts'][number] {
  const { shard, number, state, worker, late, exitCode, cpuTime, peakMemory, error } = attempt;
  return {
    id: attemptNameText({ ...name, shard, number }),
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
    late: late === 1,
  };
}
