/** `POST /backfills` runs a workflow over business times; what it starts is shown and controlled as a run. */

import { startBackfill } from '../backfills/start.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { ownKey } from '../once.ts';
import { stateOf } from '../runs/read.ts';

/** What the operation does. */
export function backfillHandlers(context: Context) {
  return {
    startBackfill: async ({ body, headers, request }, reply) => {
      const started = await startBackfill(
        body,
        ownKey(request.identity, headers.idempotencyKey),
        request.identity,
        context,
      );
      if (started.id === null) {
        reply.code(200);
        return { ...started, state: null };
      }
      reply.header('location', `/api/v1/runs/${started.id}`);
      return { ...started, state: started.repeated ? await stateOf(context, started.id) : 'queued' };
    },
  } satisfies Partial<Handlers>;
}
