/**
 * Whether a request is signed with the secret, by the one scheme that its trigger accepts. `orrery` signs
 * method, hook, time, delivery and body; `github` signs only the body and names the delivery in its own
 * header. The comparison takes constant time.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TriggerSpec } from '@orrery/core/model';

/** How far the clock of a sender may be from ours, and how old a request may be: an older one may be a copy. */
const TOLERANCE = 5 * 60_000;

/** The scheme of a trigger. */
export type HookScheme = NonNullable<NonNullable<TriggerSpec['webhook']>['scheme']>;

/** A request as it came. */
export interface SignedRequest {
  /** PROJECT/WORKFLOW/TRIGGER: a signature for one hook is invalid for another. */
  readonly hook: string;
  readonly body: Uint8Array;
  /** Seconds since 1970, as sent. */
  readonly timestamp?: string;
  readonly delivery?: string;
  readonly signature?: string;
  readonly githubDelivery?: string;
  readonly githubSignature?: string;
}

/**
 * What names the delivery of a request that is signed rightly and is not too old; undefined of any other. One of them
 * that was accepted before makes it a copy: of GitHub also the body, since the name of its delivery is not signed.
 */
export function deliveryOf(
  request: SignedRequest,
  scheme: HookScheme,
  secret: string,
  now: number,
): readonly string[] | undefined {
  const digest = createHash('sha256').update(request.body).digest('hex');
  if (scheme === 'github') {
    const { githubDelivery, githubSignature } = request;
    const right = `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`;
    const isNamed = githubDelivery !== undefined && /^[\w-]{1,100}$/.test(githubDelivery);
    return isSame(githubSignature, right) && isNamed ? [githubDelivery, `sha256:${digest}`] : undefined;
  }
  const { hook, timestamp = '', delivery = '', signature } = request;
  const text = ['POST', hook, timestamp, delivery, digest].join('\n');
  const right = `v2=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= TOLERANCE;
  return isSame(signature, right) && isRecent && delivery !== '' ? [delivery] : undefined;
}

function isSame(given: string | undefined, right: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
