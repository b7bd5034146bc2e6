/** `POST /runs/{id}/<control>` asks for a change of a run. */
import type { Control } from '@orrery/core/run';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { controlRun } from '../runs/control.ts';

/** What the operations do: each asks for the control that it names. */
export function controlHandlers(context: Context) {
  const ask =
    (type: Control['type']) =>
    ({ params, body, request }: ControlInput, reply: FastifyReply) => {
      const { dryRun, reason, ...rest } = body;
      const because = 'task' in rest && reason !== undefined ? { reason } : {};
      const control = { type, ...rest, ...because } as Control;
      if (dryRun) reply.code(200);
      return controlRun(context, params.id, { control, by: request.identity.name, reason, dryRun });
    };

  return {
    pauseRun: ask('pause'),
    resumeRun: ask('resume'),
    stopRun: ask('stop'),
    recoverRun: ask('recover'),
    rerunRun: ask('rerun'),
    forceTask: ask('force'),
    killTask: ask('kill'),
    startTaskNow: ask('start-now'),
    setRunParams: ask('set-params'),
    setRunParallel: ask('set-parallel'),
  } satisfies Partial<Handlers>;
}

/** What all controls are given; some say more in their body. */
type ControlInput = Parameters<Handlers['pauseRun']>[0];
