/** `POST /hooks/{project}/{workflow}/{trigger}`: a signed request starts a run; the signature stands for a token. */
import type { FastifyInstance } from 'fastify';
import { Tries } from '../access/tries.ts';
import { receiveHook } from '../hooks/receive.ts';
import { serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';

/** Adds the route. */
export function addHookRoute(app: FastifyInstance, context: Context): void {
  const tries = new Tries(context.clock, 'wrong signatures');

  serve(app, context, 'receiveHook', async ({ params, headers, request }, reply) => {
    tries.check(request.ip);
    const github = request.headers['x-hub-signature-256'];
    const received = {
      ...params,
      id: request.id,
      // As it came: what is signed are bytes.
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      timestamp: headers.orreryTimestamp,
      signature: headers.orrerySignature,
      githubSignature: typeof github === 'string' ? github : undefined,
      delivery: headers.orreryDelivery,
    };
    const { run, repeated } = await receiveHook(received, context).catch((error: unknown) => {
      if (error instanceof Refusal && error.kind === 'not-found') tries.failed(request.ip);
      throw error;
    });
    reply.header('location', `/api/v1/runs/${run}`);
    return { id: run, repeated };
  });
}
