/** `GET /task-runs/{run.task}`: one task run with its shards; `/attempts`: every attempt of it. */
import { type Control, refusal } from '@orrery/core/run';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { limit, nextPage, route } from '../input.ts';
import { taskRunName } from '../runs/names.ts';
import { asRun, type FoundRun, findTaskRun } from '../runs/read.ts';
import type { Action } from '../runs/show.ts';
import { showAttempt, showTaskRun } from '../runs/show-task.ts';
import type { Context } from '../server.ts';

const params = z.strictObject({ id: taskRunName });

/** The last attempt of the page before: its shard and number. */
const place = z
  .string()
  .regex(/^-?\d{1,6}\.\d{1,9}$/, 'is not a shard and a number')
  .transform((text) => {
    const [shard, number] = text.split('.').map(Number);
    return { shard, number };
  });

/** Adds the routes. */
export function addTaskRunRoutes(app: FastifyInstance, context: Context): void {
  route(app, {
    method: 'GET',
    path: '/task-runs/:id',
    params,
    async handle({ params: { id } }) {
      const found = await findTaskRun(context, id);
      return { ...showTaskRun(found), actions: actionsOf(found, id.task) };
    },
  });

  route(app, {
    method: 'GET',
    path: '/task-runs/:id/attempts',
    params,
    query: z.strictObject({ limit, after: place.optional() }),
    async handle({ params: { id }, query, request }) {
      const { index } = await findTaskRun(context, id);
      const rows = await context.store.pageAttempts({ run: id.run, task: index, ...query });
      return {
        attempts: rows.map((row) => showAttempt(id, row)),
        next: nextPage(request, rows, query.limit, ({ shard, number }) => ({ after: `${shard}.${number}` })),
      };
    },
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
