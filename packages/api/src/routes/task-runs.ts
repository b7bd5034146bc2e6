/** `GET /task-runs/{run.task}`: one task run with its shards; `/attempts`: every attempt of it. */
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { findTaskRun } from '../runs/read.ts';
import { showAttempt, showTaskRun } from '../runs/show-task.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addTaskRunRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'showTaskRun', async ({ params: { id } }) =>
    showTaskRun(context, await findTaskRun(context, id)),
  );

  serve(app, context, 'listAttempts', async ({ params: { id }, query, request }) => {
    const { index } = await findTaskRun(context, id);
    const rows = await context.store.pageAttempts({ run: id.run, task: index, ...query });
    return {
      attempts: rows.map((row) => showAttempt(id, row)),
      next: nextPage(request, rows, query.limit, ({ shard, number }) => ({ after: `${shard}.${number}` })),
    };
  });
}
