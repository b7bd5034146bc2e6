/** `POST /runs/{id}/<control>` asks for a change of a run. */
import type { OperationId } from '@orrery/core/contract';
import type { Control } from '@orrery/core/run';
import type { FastifyInstance } from 'fastify';
import { serve } from '../input.ts';
import { controlRun } from '../runs/control.ts';
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
    serve(app, context, id, async ({ params, body, request }, reply) => {
      const { dryRun, reason, ...rest } = body;
      const because = 'task' in rest && reason !== undefined ? { reason } : {};
      const control = { type: asked[id], ...rest, ...because } as Control;
      if (dryRun) reply.code(200);
      return controlRun(context, params.id, { control, by: request.identity.name, reason, dryRun });
    });
}
