/** `POST /preview/{kind}`: what the rules would do; the same answers as `orrery preview`. */
import { cron, dependency, type Preview, params, plan, readFields, shards } from '@orrery/core/preview';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import type { Context } from '../server.ts';

/** Adds the routes. */
export function addPreviewRoutes(app: FastifyInstance, context: Context): void {
  const ask = <Answer extends object>({ answer }: Preview<Answer>, body: object): Answer =>
    answer(readFields({ ...body }, String), context.clock.now());
  serve(app, context, 'previewCron', async ({ body }) => ask(cron, body));
  serve(app, context, 'previewParams', async ({ body }) => ask(params, body));
  serve(app, context, 'previewShards', async ({ body }) => ask(shards, body));
  serve(app, context, 'previewPlan', async ({ body }) => ask(plan, body));
  serve(app, context, 'previewDependency', async ({ body }) => ask(dependency, body));
}
