/**
 * `POST /runs/{id}/<control>`: asks the owner of a run for a change. What the stored state already forbids is
 * refused here with its reason; the owner, who knows the present state, has the last word.
 */
import { type Control, refusal } from '@orrery/core/run';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { number, route } from '../input.ts';
import { Refusal } from '../problem.ts';
import { checkParameters, givenParameters } from '../runs/parameters.ts';
import { asRun, type FoundRun, findRun, findTaskRun, noTasks } from '../runs/read.ts';
import { queuedActions } from '../runs/show.ts';
import { checkScope, scope } from '../runs/start.ts';
import type { Context } from '../server.ts';

const task = z.strictObject({ task: z.string().min(1), reason: z.string().max(1_000).optional() });

/** What each control takes besides the run. */
const bodies = {
  pause: z.strictObject({}),
  resume: z.strictObject({}),
  stop: z.strictObject({}),
  recover: z.strictObject({}),
  rerun: z.strictObject({ scope: scope.default({ kind: 'all', tasks: [] }) }),
  force: task,
  kill: task,
  'start-now': task,
  'set-params': z.strictObject({ params: givenParameters }),
} as const satisfies Record<Control['type'], z.ZodType>;

/** Adds the routes. */
export function addControlRoutes(app: FastifyInstance, context: Context): void {
  for (const [type, body] of Object.entries(bodies)) {
    route(app, {
      method: 'POST',
      path: `/runs/:id/${type}`,
      params: z.strictObject({ id: number }),
      body: body as z.ZodType<object>,
      async handle({ params: { id }, body }, reply) {
        await send(context, id, { type, ...body } as Control);
        return reply.code(202).send({ run: id, control: type });
      },
    });
  }
}

async function send(context: Context, id: number, control: Control): Promise<void> {
  const { store, clock, hints } = context;
  const found = await findRun(context, id, noTasks);
  if ('queued' in found) checkQueued(control);
  else await check(context, found, control);
  await store.sendControl({ run: id, message: { type: 'control', control, by: 'api' }, now: clock.now() });
  hints.inboxTold([id]);
}

/** A run that nobody has claimed can only be stopped, which takes its command back. */
function checkQueued({ type }: Control): void {
  const { allowed, reason } = queuedActions.find(({ name }) => name === type) ?? {};
  if (!allowed) throw new Refusal('conflict', reason ?? 'the run is queued');
}

async function check(context: Context, found: FoundRun, control: Control): Promise<void> {
  if (control.type === 'rerun') checkScope(found.plan.workflow, control.scope);
  if (control.type === 'set-params') checkParameters(found.plan.workflow.params, control.params);
  const whole =
    'task' in control ? await findTaskRun(context, { run: found.details.run.id, task: control.task }) : found;
  const reason = refusal(asRun(whole), control);
  if (reason !== undefined) throw new Refusal('conflict', reason);
}
