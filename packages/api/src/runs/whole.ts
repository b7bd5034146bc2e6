/** A run as its owner would have it in memory: for asking what a control would do, and what a task is given. */
import { type Run, restore, type TaskRun } from '@orrery/core/run';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { type FoundRun, findRun, taskRunOf } from './read.ts';

/** Task runs that are read and parsed at once; other requests have their turn in between. */
const PAGE = 5_000;

/** Rebuilds a run from what was committed. */
export async function wholeRun(context: Context, found: FoundRun): Promise<Run> {
  const { plan } = found;
  const tasks: [number, TaskRun][] = [];
  let head = found.details;
  for (let from = 0; from < plan.tasks.length; from += PAGE) {
    const page = await findRun(context, head.run.id, { from, to: from + PAGE });
    if ('queued' in page) throw new Refusal('not-found', `there is no run ${head.run.id}`);
    head = page.details;
    for (const row of head.tasks) tasks.push([row.task, taskRunOf(row)]);
  }
  return restore(plan, head.request, { fields: head.fields, tasks });
}
