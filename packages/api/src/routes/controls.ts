/**
 * `POST /runs/{id}/<control>`: asks the owner of a run for a change. What the stored state already forbids is
 * refused here with its reason; the owner, who knows the present state, has the last word.
 */
import type { OperationId } from '@orrery/core/contract';
import { type Control, refusal } from '@orrery/core/run';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import { checkParameters } from '../runs/parameters.ts';
import { asRun, type FoundRun, findRun, findTaskRun, noTasks } from '../runs/read.ts';
import { queuedActions } from '../runs/show.ts';
import { checkScope } from '../runs/start.ts';
import type { Context } from '../server.ts';

/** Which operation asks for which control. */
const asked = {
  pauseRun: 'pause',
  resumeRun: 'resume',
  stopRun: 'stop',
  recoverRun: 'recover',
  rerunRun: 'rerun',
  forceTask: 'force',
  killTask: 'kill',
  startTaskNow: 'start-now',
  setRunParams: 'set-params',
} as const satisfies Partial<Record<OperationId, Control['type']>>;

/** Adds the routes. */
export function addControlRoutes(app: FastifyInstance, context: Context): void {
  for (const id of Object.keys(asked) as (keyof typeof asked)[])
    serve(app, context, id, async ({ params, body }) => {
      await send(context, params.id, { type: asked[id], ...body } as Control);
      return { run: params.id, control: asked[id] };
    });
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
