/** Reads runs: an existing one, one whose command still waits, or none. */

import type { ShownRunState } from '@orrery/contract';
import { hintFor } from '@orrery/core/model';
import { compile, createRun, type Plan, type Run, type TaskRun } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import { BadEntry, type Command, NotFound, type RunDetails, type TaskRunRow } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';

/** A run whose command no master has claimed yet. */
export interface QueuedRun {
  readonly command: Command;
  readonly createdAt: number;
  /** How many commands are claimed before it. */
  readonly ahead: number;
}

/** A run that exists, with the plan it walks. */
export interface FoundRun {
  readonly details: RunDetails;
  readonly plan: Plan;
  /** Why there is no plan any more: the one it has here is of no tasks. */
  readonly unplanned?: string;
}

/** Task runs of a page: indexes from `from` up to, not including, `to`. */
export interface TaskRange {
  readonly from: number;
  readonly to: number;
}

/** A page without task runs. */
export const noTasks: TaskRange = { from: 0, to: 0 };

/** Finds a run in either form; an unknown one is refused. */
export async function findRun(
  context: Context,
  id: number,
  range: TaskRange,
): Promise<{ queued: QueuedRun } | FoundRun> {
  const { store, plans } = context;
  // The command first: once it is claimed, the run is there.
  const queued = await store.readCommand({ run: id });
  if (queued) {
    const { body, createdAt, ahead } = queued;
    return { queued: { command: JSON.parse(body), createdAt, ahead } };
  }
  const details = await store.readRunDetails({ id, ...range });
  if (!details) throw await noRun(context, id);
  const { workflow, request, run } = details;
  try {
    return { details, plan: await plans.of({ workflow, version: run.version, request }) };
  } catch (error) {
    if (!(error instanceof BadEntry) && !(error instanceof NotFound)) throw error;
    return { details: { ...details, tasks: [], open: [] }, plan: noPlan(run), unplanned: error.message };
  }
}

/** Replaces an unreadable plan: only the names are known. */
function noPlan({ project, name }: Pick<RunDetails['run'], 'project' | 'name'>): Plan {
  return compile({
    project,
    name,
    tags: [],
    priority: 'medium',
    mode: 'parallel',
    onFailure: 'continue',
    workerGroup: 'default',
    tenant: 'default',
    timezone: 'UTC',
    params: {},
    schedules: [],
    triggers: [],
    tasks: [],
  });
}

/** Reports that a run does not exist, and why it may have existed before. */
async function noRun({ store, config }: Context, id: number): Promise<Refusal> {
  const newest = await store.readNewestNumber();
  const kept = config?.find(({ name }) => name === 'keepRuns')?.value ?? 'a time';
  const because =
    id > newest ? `the newest number is ${newest}` : `runs that have ended are kept for ${kept}`;
  return new Refusal('not-found', `there is no run ${id}; ${because}`);
}

/** An existing task run: its run with only this task on the page, and the task's index. */
export async function findTaskRun(
  context: Context,
  { run: id, task }: { readonly run: number; readonly task: string },
): Promise<FoundRun & { readonly index: number }> {
  const head = await findRun(context, id, noTasks);
  if ('queued' in head) throw new Refusal('not-found', said('none.taskRuns', { id }));
  const index = head.plan.index.get(task);
  if (index === undefined) {
    const hint = hintFor(task, [...head.plan.index.keys()]);
    throw new Refusal('not-found', said('none.task', { run: id, task, hint }));
  }
  const found = await findRun(context, id, { from: index, to: index + 1 });
  if ('queued' in found) throw new Refusal('not-found', said('none.run', { id }));
  return { ...found, index };
}

/** The state of a run, `queued` before it is claimed. */
export async function stateOf(context: Context, id: number): Promise<ShownRunState> {
  const found = await findRun(context, id, noTasks);
  return 'queued' in found ? 'queued' : found.details.fields.state;
}

/** The run in the form that the control rules need, from the parts that were read. */
export function asRun({ details, plan }: FoundRun): Run {
  const run = createRun(plan, details.request, details.fields.params, details.fields.since);
  run.fields = details.fields;
  for (const row of details.tasks) run.tasks[row.task] = taskRunOf(row);
  return run;
}

/** A stored task run as the rules see it. */
export function taskRunOf({ state, round, since, body }: TaskRunRow): TaskRun {
  return { ...JSON.parse(body), state, round, since };
}
