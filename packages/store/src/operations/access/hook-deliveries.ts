/** Deliveries of webhooks that were accepted: the same one again starts no second run. */
import { change, type Operation, row } from '../../operation.ts';

/** A delivery: the hook, and everything that names it. */
export interface HookDelivery {
  readonly hook: string;
  readonly ids: readonly string[];
}

/** Keeps a delivery for a run; or the run of one that was accepted before by any of its names. */
export function* keepDelivery(
  { hook, ids }: HookDelivery,
  run: number,
  now: number,
): Operation<number | undefined> {
  let earlier: number | undefined;
  for (const id of [...ids].sort()) {
    // The first of two at once is waited for here, and then its run is seen.
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
  // Its other names mean the same delivery from now on.
  for (const id of earlier === undefined ? [] : ids)
    yield* change(
      'UPDATE hook_delivery SET run = ?3 WHERE hook = ?1 AND delivery = ?2',
      hook,
      id,
      earlier ?? run,
    );
  return earlier;
}

/** Forgets deliveries before a time, a little at a time; how many went. */
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
