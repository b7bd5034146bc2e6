/**
 * Idempotency keys: a repeated request under the same key is not carried out again. A key is
 *
 * free -> claimed (a caller carries the request out) -> answered; claimed -> free, or claimed by another
 */
import { change, type Operation, row } from '../../operation.ts';

/** Prefix of a claim; no answer starts with it. */
const CLAIM = 'claim ';

/** The state of a key: the request's answer, or the claim of the caller that carries it out. */
export type KeyState = { readonly answer: string } | { readonly claim: string };

/** Claims a free key, or one whose claim was not renewed since `before`; returns the resulting state. */
export function* claimKey(input: {
  readonly key: string;
  /** Unique among claims. */
  readonly claim: string;
  readonly before: number;
  readonly now: number;
}): Operation<KeyState> {
  const { key, claim, before, now } = input;
  yield* change(
    `INSERT INTO idempotency (key, answer, created_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at
     WHERE substr(idempotency.answer, 1, ${CLAIM.length}) = '${CLAIM}' AND idempotency.created_at < ?4`,
    key,
    `${CLAIM}${claim}`,
    now,
    before,
  );
  const found = yield* row<{ answer: string }>('SELECT answer FROM idempotency WHERE key = ?1', key);
  const { answer } = found ?? { answer: `${CLAIM}${claim}` };
  return answer.startsWith(CLAIM) ? { claim: answer.slice(CLAIM.length) } : { answer };
}

/** Renews a claim. */
export function* renewClaim(input: {
  readonly key: string;
  readonly claim: string;
  readonly now: number;
}): Operation<void> {
  yield* change(
    'UPDATE idempotency SET created_at = ?3 WHERE key = ?1 AND answer = ?2',
    input.key,
    `${CLAIM}${input.claim}`,
    input.now,
  );
}

/** Stores the answer if the claim still holds. `sweepKeys` deletes it later. */
export function* keepAnswer(input: {
  readonly key: string;
  readonly claim: string;
  readonly answer: string;
  readonly now: number;
}): Operation<boolean> {
  const kept = yield* change(
    'UPDATE idempotency SET answer = ?3, created_at = ?4 WHERE key = ?1 AND answer = ?2',
    input.key,
    `${CLAIM}${input.claim}`,
    input.answer,
    input.now,
  );
  return kept > 0;
}

/** Releases a claim after a refusal: the same request may be sent again. */
export function* freeKey(input: { readonly key: string; readonly claim: string }): Operation<void> {
  yield* change(
    'DELETE FROM idempotency WHERE key = ?1 AND answer = ?2',
    input.key,
    `${CLAIM}${input.claim}`,
  );
}
