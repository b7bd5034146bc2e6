/**
 * Requests under a caller's own key, so that one that is repeated is not carried out again. A key is
 *
 * free -> claimed (somebody carries the request out) -> answered; claimed -> free, or claimed by another
 */
import { change, type Operation, row } from '../../operation.ts';

/** What a claim begins with where answers stand; no answer does. */
const CLAIM = 'claim ';

/** What stands under a key: the answer of the request, or the claim of whoever carries it out. */
export type KeyState = { readonly answer: string } | { readonly claim: string };

/** Claims a key that is free, or whose claim nobody has renewed since `before`; what stands under it then. */
export function* claimKey(input: {
  readonly key: string;
  /** Unlike any other. */
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

/** Says that a claim still holds. */
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

/** Puts the answer where the claim stands, if it still does. `sweepKeys` drops it in time. */
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

/** Gives a claim up, after a refusal: the same request may be sent again. */
export function* freeKey(input: { readonly key: string; readonly claim: string }): Operation<void> {
  yield* change(
    'DELETE FROM idempotency WHERE key = ?1 AND answer = ?2',
    input.key,
    `${CLAIM}${input.claim}`,
  );
}
