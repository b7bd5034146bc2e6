/** Answers that are kept under a caller's own key, so that a request that is repeated is not carried out again. */
import { change, type Operation, row } from '../operation.ts';

/** Keeps an answer; the first one under a key stays. `sweepKeys` drops it in time. */
export function* keepAnswer(input: {
  readonly key: string;
  readonly answer: string;
  readonly now: number;
}): Operation<boolean> {
  const { key, answer, now } = input;
  const added = yield* change(
    'INSERT INTO idempotency (key, answer, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING',
    key,
    answer,
    now,
  );
  return added > 0;
}

/** The answer that was kept under a key. */
export function* readAnswer({ key }: { readonly key: string }): Operation<string | undefined> {
  return (yield* row<{ answer: string }>('SELECT answer FROM idempotency WHERE key = ?1', key))?.answer;
}
