/**
 * A request that is carried out once for each `Idempotency-Key` of a caller; repeated, it gets the first answer. For what
 * is harmless twice at the same moment: starting a run, which is not, has its key in the transaction of the start.
 */
import { createHash } from 'node:crypto';
import type { OperationId } from '@orrery/core/contract';
import type { FastifyRequest } from 'fastify';
import { Refusal } from './problem.ts';
import type { Context } from './server.ts';

/** Carries it out, or finds its answer; `key` is what the caller sent. */
export async function once<Answer>(
  { store, clock }: Context,
  id: OperationId,
  request: FastifyRequest,
  key: string | undefined,
  act: () => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return act();
  // A blank stands in no key that a run is started with.
  const kept = `${id} ${request.identity.token} ${key}`;
  const asked = fingerprint(request);
  const earlier = await store.readAnswer({ key: kept });
  if (earlier !== undefined) {
    const first = JSON.parse(earlier) as { asked: string; answer: Answer };
    if (first.asked === asked) return first.answer;
    throw new Refusal('conflict', 'this Idempotency-Key was used for another request');
  }
  const answer = await act();
  await store.keepAnswer({ key: kept, answer: JSON.stringify({ asked, answer }), now: clock.now() });
  return answer;
}

function fingerprint({ url, body }: FastifyRequest): string {
  const sent = body instanceof Uint8Array ? body : JSON.stringify(body ?? null);
  return createHash('sha256').update(`${url}\n`).update(sent).digest('hex');
}
