/** `GET /task-runs/{run.task}`: one task run with its shards; `/attempts`: every attempt of it. */
import type { Action } from '@orrery/core/contract';
import { type Control, refusal } from '@orrery/core/run';
import type { FastifyInstance } from 'fastify';
import { nextPage, serve } from '../input.ts';
import { asRun, type FoundRun, findTaskRun } from '../runs/read.ts';
import { showAttempt, showTaskRun } from '../runs/show-task.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addTaskRunRoutes(app: FastifyInstance, context: Context): void {
  serve(app, context, 'showTaskRun', async ({ params: { id } }) => {
    const found = await findTaskRun(context, id);
    return { ...showTaskRun(found), actions: actionsOf(found, id.task) };
  });

  serve(app, context, 'listAttempts', async ({ params: { id }, query, request }) => {
    const { index } = await findTaskRun(context, id);
    const rows = await context.store.pageAttempts({ run: id.run, task: index, ...query });
    return {
      attempts: rows.map((row) => showAttempt(id, row)),
      next: nextPage(request, rows, query.limit, ({ shard, number }) => ({ after: `${shard}.${number}` })),
    };
  });
}

function actionsOf(found: FoundRun, task: string): Action[] {
  const run = asRun(found);
  return (['force', 'kill', 'start-now'] as const).map((type) => {
    const control: Control = { type, task };
    const reason = refusal(run, control);
    return reason === undefined ? { name: type, allowed: true } : { name: type, allowed: false, reason };
  });
}
