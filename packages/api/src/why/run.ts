/** Why a run is where it is. */
import { taskRunText } from '@orrery/core/contract';
import type { RunState } from '@orrery/core/state';
import { masterState } from '../nodes.ts';
import type { FoundRun, QueuedRun } from '../runs/read.ts';
import type { Context } from '../server.ts';
import { whyLimited } from './queue.ts';
import { count, listed, type Reason } from './sentence.ts';
import { whyTaskRun } from './task-run.ts';

/** Explains a run whose command nobody has claimed. */
export async function whyQueuedRun({ store, clock }: Context, { ahead }: QueuedRun): Promise<Reason> {
  const nodes = await store.listNodes();
  const masters = nodes.filter((node) => masterState(node, clock.now()) === 'alive').length;
  const why = `its start command waits to be claimed, ${ahead} before it`;
  return masters === 0
    ? { why: `${why}, and no master is alive`, frees: 'start a master' }
    : { why, frees: 'a master with room claims it' };
}

/** Explains a run; `found` holds the first page of its task runs. */
export async function whyRun(context: Context, found: FoundRun): Promise<Reason> {
  const { details } = found;
  const { reason } = details.fields;
  const because = reason === undefined ? '' : `: ${reason}`;
  if (details.run.owner === null && details.told)
    return { why: 'has no owner; what it was told waits for a master', frees: 'a master claims it' };
  const still = `${count(openCount(found), 'task run')} still to end`;
  const reasons: Record<RunState, () => Reason | Promise<Reason>> = {
    waiting: () => whyNotAdmitted(context, found),
    running: () => whyRunning(context, found),
    pausing: () => ({ why: `is pausing, ${still}`, frees: 'they end or are held' }),
    paused: () => ({ why: 'is paused', frees: 'resume it' }),
    stopping: () => ({ why: `is being stopped, ${still}`, frees: 'nothing of them is left' }),
    failing: () => ({ why: `is ending after a failure${because}, ${still}`, frees: 'they end' }),
    success: () => ({ why: 'succeeded', frees: null }),
    failed: () => ({ why: `failed${because}${failedTasks(found)}`, frees: 'recover or rerun it' }),
    stopped: () => ({ why: 'was stopped', frees: 'recover or rerun it' }),
    broken: () => ({ why: `was set aside${because}`, frees: 'recover, rerun or stop it' }),
  };
  return reasons[details.fields.state]();
}

/** Admitted by its mode and limit: who is before it. */
async function whyNotAdmitted(context: Context, { details, plan }: FoundRun): Promise<Reason> {
  const { project, name, mode, limit } = plan.workflow;
  const before = await context.store.listOpenRuns({
    workflow: details.workflow,
    before: details.run.id,
    limit: 10,
  });
  const holder = { run: details.run.id, task: -1, shard: -1, number: 0 };
  const full = await whyLimited(context, holder);
  if (before.length === 0 || (mode === 'parallel' && !limit))
    return full ?? { why: 'is about to start', frees: null };
  const rule = mode === 'parallel' ? `at most ${limit} at once` : `one at a time (${mode})`;
  const runs = before.map(({ id, state }) => `${id} (${state})`);
  return {
    why: `runs of ${project}/${name} go ${rule}, and ${before.length === 1 ? 'run' : 'runs'} ${listed(runs)} came first`,
    frees: 'one of them ends',
    waitsFor: before.map(({ id }) => String(id)),
  };
}

/** What runs, or what the first of its open tasks waits for. */
async function whyRunning(context: Context, found: FoundRun): Promise<Reason> {
  const { details, plan } = found;
  const counted = (...states: string[]) =>
    details.counts.reduce((sum, { state, count }) => (states.includes(state) ? sum + count : sum), 0);
  const running = counted('running');
  if (running > 0) {
    const queued = counted('submitted');
    return { why: `${count(running, 'task run')} running, ${queued} queued`, frees: null };
  }
  const order = ['submitted', 'waiting', 'retrying', 'delayed', 'stopping'];
  const [first] = details.tasks
    .filter(({ state }) => order.includes(state))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  if (!first) return { why: 'goes on with its next step', frees: null };
  const { name } = plan.tasks[first.task].spec;
  const { why, frees } = await whyTaskRun(context, found, first.task);
  const id = taskRunText({ run: details.run.id, task: name });
  return { why: `nothing of it is running: ${name} ${why}`, frees, waitsFor: [id] };
}

function openCount({ details }: FoundRun): number {
  const open = ['submitted', 'running', 'retrying', 'delayed', 'waiting', 'stopping'];
  return details.counts.reduce((sum, { state, count }) => (open.includes(state) ? sum + count : sum), 0);
}

function failedTasks({ details, plan }: FoundRun): string {
  const names = details.tasks
    .filter(({ state }) => state === 'failed')
    .map(({ task, body }) => {
      const { reason, shards } = JSON.parse(body) as { reason?: string; shards: { error?: string }[] };
      const why = reason ?? shards.find(({ error }) => error !== undefined)?.error;
      return why === undefined ? plan.tasks[task].spec.name : `${plan.tasks[task].spec.name}: ${why}`;
    });
  return names.length > 0 ? ` (${listed(names)})` : '';
}
