/** `GET /task-runs/{run.task}`: one task run with its shards; `/attempts`: every attempt of it. */

import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { nextPage } from '../page-link.ts';
import { findTaskRun } from '../runs/read.ts';
import { showAttempt, showTaskRun } from '../runs/show-task.ts';

/** What the operations do. */
export function taskRunHandlers(context: Context) {
  return {
    showTaskRun: async ({ params: { id } }) => showTaskRun(context, await findTaskRun(context, id)),

    listAttempts: async ({ params: { id }, query, request }) => {
      const { index } = await findTaskRun(context, id);
      const rows = await context.store.pageAttempts({ run: id.run, task: index, ...query });
      return {
        attempts: rows.map((row) => showAttempt(id, row)),
        next: nextPage(request, rows, query.limit, ({ shard, number }) => ({ after: `${shard}.${number}` })),
      };
    },
  } satisfies Partial<Handlers>;
}
