/** Accepted webhook deliveries, for deduplication: a repeated delivery starts no second run. */
import { change, type Operation, row } from '../../operation.ts';

/** A delivery: its hook and all its identifiers. */
export interface HookDelivery {
  readonly hook: string;
  readonly ids: readonly string[];
}

/** Records a delivery for a run. If one of its identifiers was accepted before, returns that run. */
export function* keepDelivery(
  { hook, ids }: HookDelivery,
  run: number,
  now: number,
): Operation<number | undefined> {
  let earlier: number | undefined;
  for (const id of [...ids].sort()) {
    // A concurrent delivery waits here and then sees the first one's run.
    const added = yield* change(
      'INSERT INTO hook_delivery (hook, delivery, run, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING',
      hook,
      id,
      run,
      now,
    );
    if (added > 0) continue;
    const found = yield* row<{ run: number }>(
      'SELECT run FROM hook_delivery WHERE hook = ?1 AND delivery = ?2',
      hook,
      id,
    );
    earlier ??= found?.run;
  }
  // The other identifiers mean the same delivery from now on.
  for (const id of earlier === undefined ? [] : ids)
    yield* change(
      'UPDATE hook_delivery SET run = ?3 WHERE hook = ?1 AND delivery = ?2',
      hook,
      id,
      earlier ?? run,
    );
  return earlier;
}

/** Deletes at most `limit` deliveries from before a time; returns how many. */
export function* sweepDeliveries(input: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  return yield* change(
    `DELETE FROM hook_delivery WHERE (hook, delivery) IN (
       SELECT hook, delivery FROM hook_delivery WHERE at < ?1 ORDER BY at LIMIT ?2)`,
    input.before,
    input.limit,
  );
}
