/**
 * Executes a request once per `Idempotency-Key` of a caller. A repeated request gets the first answer, and
 * waits for it while the first is in flight in any process. For requests of several transactions: starting a
 * run, a backfill or a bulk stores its key in the single transaction of the start.
 *
 * The executing process claims the key and renews the claim. A claim that is not renewed belongs to a dead
 * process.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { OperationId } from '@orrery/contract';
import { said } from '@orrery/core/texts';
import type { Clock } from '@orrery/core/timing';
import type { FastifyRequest } from 'fastify';
import type { Identity } from './access/identity.ts';
import type { Context } from './context.ts';
import { Refusal } from './problem.ts';

const RENEW_EVERY = 2_000;
const GONE_AFTER = 10_000;
/**
 * Longer than it takes to detect that the first process died, so that no waiting request is refused for that.
 */
const PATIENCE = 15_000;
const LOOK_EVERY = 200;

interface Claimed {
  readonly key: string;
  readonly claim: string;
}

/** The stored key of requests that keep it in the transaction of a start: each caller has its own keys. */
export function ownKey({ token }: Identity, key: string | undefined): string | undefined {
  // The server's own token has its keys as sent: no other begins with a number and a blank.
  return key === undefined || token === 0 ? key : `${token} ${key}`;
}

/** Carries it out, or finds its answer; `key` is what the caller sent. */
export async function once<Answer>(
  context: Context,
  id: OperationId,
  request: FastifyRequest,
  key: string | undefined,
  act: () => Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return act();
  const asked = fingerprint(request);
  // Keys of run starts contain no blank, so the two cannot collide.
  const claimed = { key: `${id} ${request.identity.token} ${key}`, claim: `${asked} ${randomUUID()}` };
  const earlier = await claim(context, claimed, asked);
  return earlier === undefined ? carryOut(context, claimed, asked, act) : JSON.parse(earlier);
}

/** Claims the key, or waits for its holder and returns the holder's answer. */
async function claim({ store, clock }: Context, wanted: Claimed, asked: string): Promise<string | undefined> {
  const end = clock.monotonic() + PATIENCE;
  for (;;) {
    const now = clock.now();
    const found = await store.claimKey({ ...wanted, before: now - GONE_AFTER, now });
    const text = 'claim' in found ? found.claim : found.answer;
    if (text === wanted.claim) return undefined;
    if (!text.startsWith(`${asked} `)) throw new Refusal('conflict', said('once.otherRequest'));
    if ('answer' in found) return text.slice(asked.length + 1);
    if (clock.monotonic() >= end) throw new Refusal('conflict', said('once.underWay'), undefined, 2);
    await new Promise<void>((wake) => clock.setTimer(LOOK_EVERY, wake));
  }
}

/** Carries it out and keeps the answer; a request that is refused has none: it may succeed when it is sent again. */
async function carryOut<Answer>(
  { store, clock }: Context,
  claimed: Claimed,
  asked: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const renewing = every(RENEW_EVERY, clock, () => store.renewClaim({ ...claimed, now: clock.now() }));
  try {
    const answer = await act().catch(async (error: unknown) => {
      // While the store is away the claim stays, until it counts as that of a dead process.
      await store.freeKey(claimed).catch(() => undefined);
      throw error;
    });
    await store.keepAnswer({ ...claimed, answer: `${asked} ${JSON.stringify(answer)}`, now: clock.now() });
    return answer;
  } finally {
    renewing.stop();
  }
}

/** Does something again and again; what fails once may succeed the next time. */
function every(milliseconds: number, clock: Clock, act: () => Promise<void>): { stop(): void } {
  let stopped = false;
  let timer = clock.setTimer(milliseconds, turn);
  function turn(): void {
    void act()
      .catch(() => undefined)
      .then(() => {
        if (!stopped) timer = clock.setTimer(milliseconds, turn);
      });
  }
  return {
    stop() {
      stopped = true;
      timer.cancel();
    },
  };
}

function fingerprint({ url, body }: FastifyRequest): string {
  const sent = body instanceof Uint8Array ? body : JSON.stringify(body ?? null);
  return createHash('sha256').update(`${url}\n`).update(sent).digest('hex');
}
