/**
 * `POST /hooks/{project}/{workflow}/{trigger}`: a signed request starts a run; the signature replaces a
 * token.
 */
import { asCaller } from '../access/asker.ts';
import { webhook } from '../access/identity.ts';
import { Tries } from '../access/tries.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { receiveHook } from '../hooks/receive.ts';
import { Refusal } from '../problem.ts';

/** What the operation does. */
export function hookHandlers(context: Context) {
  const tries = new Tries(context.clock, 'wrong signatures');

  return {
    receiveHook: async ({ params, headers, request }, reply) => {
      tries.check(request.ip);
      const hook = `${params.project}/${params.workflow}/${params.trigger}`;
      const received = {
        ...params,
        hook,
        id: request.id,
        // Unparsed, since the signature covers the bytes.
        body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
        timestamp: headers.orreryTimestamp,
        signature: headers.orrerySignature,
        githubSignature: textOf(request.headers['x-hub-signature-256']),
        githubDelivery: textOf(request.headers['x-github-delivery']),
        delivery: headers.orreryDelivery,
      };
      const sender = webhook(hook);
      const { run, repeated } = await asCaller(request, sender, () => receiveHook(received, context)).catch(
        (error: unknown) => {
          if (error instanceof Refusal && error.kind === 'not-found') tries.failed(request.ip);
          throw error;
        },
      );
      reply.header('location', `/api/v1/runs/${run}`);
      return { id: run, repeated };
    },
  } satisfies Partial<Handlers>;
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
