/**
 * Whether a request comes from someone who knows the secret: an HMAC-SHA256 of time, delivery and body, as `v1=…`, or of
 * the body alone as GitHub sends it. Compared in a time that tells nothing about how much of it was right.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the clock of a sender may be from ours, and how old a request may be: an older one may be a copy. */
const TOLERANCE = 5 * 60_000;

/** A request as it came. */
export interface SignedRequest {
  readonly body: Uint8Array;
  /** Seconds since 1970, as sent. */
  readonly timestamp?: string;
  /** Names the delivery, so that one that is sent again starts no second run; signed, so that no copy has another. */
  readonly delivery?: string;
  readonly signature?: string;
  readonly githubSignature?: string;
}

/** Whether the signature is right, and the request not too old. */
export function isSigned(request: SignedRequest, secret: string, now: number): boolean {
  const { body, timestamp = '', delivery, signature, githubSignature } = request;
  if (signature === undefined) return isSame(githubSignature, `sha256=${hmac(secret, body)}`);
  const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1_000) <= TOLERANCE;
  const head = delivery === undefined ? `${timestamp}.` : `${timestamp}.${delivery}.`;
  return isSame(signature, `v1=${hmac(secret, head, body)}`) && isRecent;
}

function hmac(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const sum = createHmac('sha256', secret);
  for (const part of parts) sum.update(part);
  return sum.digest('hex');
}

function isSame(given: string | undefined, right: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
