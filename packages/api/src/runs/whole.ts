/** A run as its owner would have it in memory: for asking what a control would do, and what a task is given. */
import { type Run, restore } from '@orrery/core/run';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { type FoundRun, findRun, noTasks, taskRunOf } from './read.ts';

/** Task runs that are read and parsed at once; other requests have their turn in between. */
const PAGE = 5_000;

/** Rebuilds a run from what was committed. */
export async function wholeRun(context: Context, found: FoundRun): Promise<Run> {
  const { plan, details } = found;
  const tasks: [number, ReturnType<typeof taskRunOf>][] = [];
  for (let from = 0; from < plan.tasks.length; from += PAGE) {
    const page = await findRun(context, details.run.id, { from, to: from + PAGE });
    if ('queued' in page) throw new Refusal('not-found', `there is no run ${details.run.id}`);
    for (const row of page.details.tasks) tasks.push([row.task, taskRunOf(row)]);
  }
  const { details: head } = (await findRun(context, details.run.id, noTasks)) as FoundRun;
  return restore(plan, head.request, { fields: head.fields, tasks });
}
