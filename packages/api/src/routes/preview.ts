/** `POST /preview/{kind}`: what the rules would do; the same answers as `orrery preview`. */
import { cron, dependency, type Preview, params, plan, readFields, shards } from '@orrery/core/preview';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';

/** What the operations do. */
export function previewHandlers(context: Context) {
  const ask = <Answer extends object>({ answer }: Preview<Answer>, body: object): Answer =>
    answer(readFields({ ...body }, String), context.clock.now());

  return {
    previewCron: async ({ body }) => ask(cron, body),

    previewParams: async ({ body }) => ask(params, body),

    previewShards: async ({ body }) => ask(shards, body),

    previewPlan: async ({ body }) => ask(plan, body),

    previewDependency: async ({ body }) => ask(dependency, body),
  } satisfies Partial<Handlers>;
}
