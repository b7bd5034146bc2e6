/** `POST /backfills` runs a workflow over business times; what it starts is shown and controlled as a run. */
import type { FastifyInstance } from 'fastify';
import { startBackfill } from '../backfills/start.ts';
import { serve } from '../input.ts';
import { stateOf } from '../runs/read.ts';
import type { Context } from '../server.ts';

/** Adds the route. */
export function addBackfillRoute(app: FastifyInstance, context: Context): void {
  serve(app, context, 'startBackfill', async ({ body, headers, request }, reply) => {
    const started = await startBackfill(body, headers.idempotencyKey, request.identity, context);
    if (started.id === null) {
      reply.code(200);
      return { ...started, state: null };
    }
    reply.header('location', `/api/v1/runs/${started.id}`);
    return { ...started, state: started.repeated ? await stateOf(context, started.id) : 'queued' };
  });
}
