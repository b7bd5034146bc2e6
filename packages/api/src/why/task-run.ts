/** Why a task run is where it is. */
import { taskRunText } from '@orrery/core/contract';
import { type DependentSpec, isLogicType, type WorkflowReference } from '@orrery/core/model';
import { NO_SHARD, type TaskRun } from '@orrery/core/run';
import { isFinal, runMachine, taskMachine } from '@orrery/core/state';
import { type FoundRun, taskRunOf } from '../runs/read.ts';
import { shownState } from '../runs/show.ts';
import { dueOf } from '../runs/show-task.ts';
import type { Context } from '../server.ts';
import { whyLimited, whyQueued } from './queue.ts';
import { count, listed, moment, type Reason } from './sentence.ts';

/** Explains a task run; `found` holds it on its page. */
export async function whyTaskRun(context: Context, found: FoundRun, index: number): Promise<Reason> {
  const { details } = found;
  const row = details.tasks.find(({ task }) => task === index);
  const task = row && taskRunOf(row);
  const state = shownState(task?.state ?? 'pending', task?.round ?? 1, details.fields.round);
  if (!task || state === 'pending') return whyPending(context, found, index);
  switch (state) {
    case 'excluded':
      return { why: 'is not part of this round of the run', frees: null };
    case 'delayed':
      return {
        why: `waits until ${moment(task.due)} because of its delay`,
        frees: 'that time comes, or start-now',
      };
    case 'submitted':
      return whySubmitted(context, found, index);
    case 'running':
      return { why: whatRuns(found, index), frees: null };
    case 'retrying':
      return {
        why: `failed: ${lastError(task)}; it is tried again at ${moment(dueOf(task))}`,
        frees: 'that time comes, or start-now',
      };
    case 'waiting':
      return whyWaiting(context, found, index, task);
    case 'paused':
      return { why: 'is held because the run is paused', frees: 'resume the run' };
    case 'stopping':
      return {
        why: `is being stopped; ${whatRuns(found, index)}`,
        frees: 'the worker reports that nothing of it is left',
      };
    default:
      return { why: howEnded(state, task), frees: null };
  }
}

/** Predecessors that have not ended, or why the run does not come to it. */
async function whyPending({ store }: Context, { details, plan }: FoundRun, index: number): Promise<Reason> {
  const { fields, run } = details;
  if (fields.state === 'waiting') return { why: 'waits for its run to start', frees: null };
  if (isFinal(runMachine, fields.state))
    return { why: `never had its turn: the run is ${fields.state}`, frees: null };
  const { needs, trigger } = plan.tasks[index].spec;
  const before = needs.map((name) => ({ name, task: plan.index.get(name) ?? -1 }));
  const rows = await store.readTaskStates({ run: run.id, tasks: before.map(({ task }) => task) });
  const states = new Map(
    rows.map(({ task, state, round }) => [task, shownState(state, round, fields.round)]),
  );
  const untouched = shownState('pending', 1, fields.round);
  const open = before
    .map(({ name, task }) => ({ name, state: states.get(task) ?? untouched }))
    .filter(({ state }) => !isFinal(taskMachine, state as TaskRun['state']));
  if (open.length === 0) return { why: 'is about to start', frees: null };
  return {
    why: `waits for ${listed(open.map(({ name, state }) => `${name} (${state})`))}`,
    frees: `they end, by the rule ${trigger}`,
    waitsFor: open.map(({ name }) => taskRunText({ run: run.id, task: name })),
  };
}

async function whySubmitted(context: Context, { details, plan }: FoundRun, index: number): Promise<Reason> {
  const queued = details.open.find(({ task, worker }) => task === index && worker === null);
  const reason = queued && (await whyQueued(context, { run: details.run.id, ...queued }));
  if (reason) return reason;
  const row = details.tasks.find(({ task }) => task === index);
  const shards = row ? taskRunOf(row).shards : [];
  const waiting = shards.findIndex(({ state, worker }) => state === 'out' && worker === undefined);
  const shard = plan.tasks[index].spec.shards ? waiting : NO_SHARD;
  const number = shards[waiting]?.attempt ?? 1;
  const full = await whyLimited(context, { run: details.run.id, task: index, shard, number });
  return full ?? { why: 'is on its way into the queue', frees: null };
}

/** Which attempts have a worker. */
function whatRuns({ details, plan }: FoundRun, index: number): string {
  const taken = details.open.filter(({ task, worker }) => task === index && worker !== null);
  const workers = listed([...new Set(taken.map(({ worker }) => worker ?? ''))]);
  const { shards } = plan.tasks[index].spec;
  if (taken.length === 0) return 'its worker has reported, and the run goes on';
  if (shards) return `${taken.length} of ${shards.count} shards run on ${workers}`;
  return `attempt ${taken[0].number} runs on ${workers}`;
}

async function whyWaiting(
  { store }: Context,
  { details, plan }: FoundRun,
  index: number,
  task: TaskRun,
): Promise<Reason> {
  const { spec, logic } = plan.tasks[index];
  if (logic === 'dependent' && isLogicType(spec.type)) {
    const items = (spec.with as DependentSpec).groups.flatMap(({ items }) => items);
    const wanted = items.map(({ workflow, window }) => `${named(workflow)} (${window})`);
    return { why: `waits until ${listed(wanted)} have run`, frees: 'those runs end' };
  }
  const children = await store.listChildRuns({ run: details.run.id, task: index, limit: SHOWN_CHILDREN });
  const open = children.filter(
    ({ state }) => !isFinal(runMachine, state as keyof typeof runMachine.transitions),
  );
  const waitsFor = open.map(({ id }) => String(id));
  if (task.series) {
    const { total, succeeded, failed, open: under, paused } = task.series;
    const ended = `${succeeded + failed.length} of ${count(total, 'child run')} have ended`;
    return { why: `${ended}, ${under.length + paused.length} are open`, frees: 'the others end', waitsFor };
  }
  if (open.length === 0)
    return { why: 'waits for its child run, which is queued', frees: 'the child run ends' };
  const shown = open.map(({ id, state }) => `${id} (${state})`);
  return { why: `waits for its child run ${listed(shown)}`, frees: 'the child run ends', waitsFor };
}

const SHOWN_CHILDREN = 20;

function named({ project, name }: WorkflowReference): string {
  return project === undefined ? name : `${project}/${name}`;
}

function lastError({ shards, reason }: TaskRun): string {
  return shards.find(({ error }) => error !== undefined)?.error ?? reason ?? 'no reason was given';
}

/** How a task run ended, in words. */
function howEnded(state: string, task: TaskRun): string {
  const reason = task.reason ?? task.shards.find(({ error }) => error !== undefined)?.error;
  const because = reason === undefined ? '' : `: ${reason}`;
  switch (state) {
    case 'success':
      return task.forced ? `counts as success${because}` : 'succeeded';
    case 'passed':
      return 'is disabled and was passed over';
    case 'skipped':
      return `was skipped${because}`;
    case 'killed':
      return `was stopped${because}`;
    default:
      return `${state}${because}`;
  }
}
