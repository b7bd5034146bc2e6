/** Why a run is where it is. */
import { errorOf, reopens, taskRunText } from '@orrery/core/run';
import type { RunState } from '@orrery/core/state';
import type { WhyReason } from '@orrery/core/why';
import type { NodeRow, StateCount } from '@orrery/store';
import type { Context } from '../context.ts';
import { isMaster, masterState } from '../nodes.ts';
import { type FoundRun, type QueuedRun, taskRunOf } from '../runs/read.ts';
import { whyLimited } from './queue.ts';
import { whyTaskRun } from './task-run.ts';

/** A command that is first in line and older than this waits because no master has room. */
const CLAIMED_WITHIN = 5_000;

/** Explains a run whose command no master has claimed. */
export async function whyQueuedRun(context: Context, { ahead, createdAt }: QueuedRun): Promise<WhyReason> {
  const live = await liveMasters(context);
  const masters = live.length;
  if (masters === 0) return { code: 'start-no-master', ahead };
  const reasons = live.flatMap(({ reason }) => reason ?? []);
  if (reasons.length === masters) return { code: 'start-overloaded', ahead, reasons };
  const late = context.clock.now() - createdAt > CLAIMED_WITHIN;
  return late ? { code: 'start-masters-full', ahead, masters } : { code: 'start-queued', ahead };
}

/** Explains a run; `found` holds the first page of its task runs, `counts` tells of all. */
export async function whyRun(
  context: Context,
  found: FoundRun,
  counts: readonly StateCount[],
): Promise<WhyReason> {
  const { details } = found;
  const { reason } = details.fields;
  if (details.run.owner === null && details.told)
    return { code: (await liveMasters(context)).length > 0 ? 'unowned' : 'unowned-no-master' };
  // It has ended, and what opens it again waits for a slot.
  if (details.controls.some(({ control }) => reopens(control))) return whyNotAdmitted(context, found);
  const open = countIn(counts, openStates);
  const reasons: Record<RunState, () => WhyReason | Promise<WhyReason>> = {
    waiting: () => whyNotAdmitted(context, found),
    running: () => whyRunning(context, found, counts),
    pausing: () => ({ code: 'run-pausing', open }),
    paused: () => ({ code: 'run-paused' }),
    stopping: () => ({ code: 'run-stopping', open }),
    failing: () => ({ code: 'run-failing', open, reason }),
    success: () => ({ code: 'run-success' }),
    failed: () => ({ code: 'run-failed', reason, tasks: failedTasks(found) }),
    stopped: () => ({ code: 'run-stopped', reason }),
    broken: () => ({ code: 'run-broken', reason, ...(found.unplanned !== undefined && { unplanned: true }) }),
  };
  return reasons[details.fields.state]();
}

/** Why a run waits for admission by its mode and limit: the runs before it. */
async function whyNotAdmitted(context: Context, { details, plan }: FoundRun): Promise<WhyReason> {
  const { project, name, mode, limit } = plan.workflow;
  const before = await context.store.listOpenRuns({
    workflow: details.workflow,
    before: details.run.id,
    limit: 10,
  });
  const holder = { run: details.run.id, task: -1, shard: -1, number: 0 };
  const full = await whyLimited(context, holder, project);
  if (before.length === 0 || (mode === 'parallel' && !limit)) return full ?? { code: 'about-to-start' };
  return {
    code: 'serial',
    workflow: `${project}/${name}`,
    limit: mode === 'parallel' ? (limit ?? 1) : 1,
    mode,
    runs: before.map(({ id, state }) => ({ id: String(id), state })),
  };
}

/** What runs, or what the first of its open tasks waits for. */
async function whyRunning(
  context: Context,
  found: FoundRun,
  counts: readonly StateCount[],
): Promise<WhyReason> {
  const { details, plan } = found;
  const running = countIn(counts, ['running']);
  if (running > 0) return { code: 'run-running', running, queued: countIn(counts, ['submitted']) };
  const order = ['submitted', 'waiting', 'retrying', 'delayed', 'stopping'];
  const [first] = details.tasks
    .filter(({ state }) => order.includes(state))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  if (!first) return { code: 'next-step' };
  const { name } = plan.tasks[first.task].spec;
  return {
    code: 'task-waits',
    task: name,
    taskRun: taskRunText({ run: details.run.id, task: name }),
    reason: await whyTaskRun(context, found, first.task),
  };
}

async function liveMasters({ store, clock }: Context): Promise<readonly NodeRow[]> {
  const nodes = await store.listNodes();
  return nodes.filter((node) => isMaster(node) && masterState(node, clock.now()) === 'alive');
}

const openStates = ['submitted', 'running', 'retrying', 'delayed', 'waiting', 'stopping'];

function countIn(counts: readonly StateCount[], states: readonly string[]): number {
  return counts.reduce((sum, { state, count }) => (states.includes(state) ? sum + count : sum), 0);
}

function failedTasks({ details, plan }: FoundRun): { name: string; error?: string }[] {
  return details.tasks
    .filter(({ state }) => state === 'failed')
    .map((row) => {
      const { name } = plan.tasks[row.task].spec;
      const error = errorOf(taskRunOf(row));
      return error === null ? { name } : { name, error };
    });
}
