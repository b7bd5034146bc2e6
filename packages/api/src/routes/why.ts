/** `GET /why/{id}`: for a run or a task run, why it is where it is, since when, and what would free it. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { findRun, findTaskRun } from '../runs/read.ts';
import { explainQueued, explainRun, explainTaskRun } from '../why/explain.ts';

/** Limit of task runs read to explain a run. */
const LOOKED_AT = 1_000;

/** What the operation does. */
export function whyHandlers(context: Context) {
  return {
    explain: async ({ params: { id } }) => {
      if (typeof id !== 'number') {
        const found = await findTaskRun(context, id);
        return explainTaskRun(context, found, found.index);
      }
      const found = await findRun(context, id, { from: 0, to: LOOKED_AT });
      if ('queued' in found) return explainQueued(context, id, found.queued);
      return explainRun(context, found, await context.store.countTaskRuns({ run: id }));
    },
  } satisfies Partial<Handlers>;
}
