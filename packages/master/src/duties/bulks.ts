/**
 * Carries on bulks: one change of many runs. Any master takes any step: the store locks a bulk while it is under way,
 * and keeps what became of each run together with what it was told. So nobody in particular owns a bulk, and when a
 * master dies the beat of another finds what is left.
 */

import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';

/** Runs that one step deals with: few enough that what runs does not notice. */
const PAGE = 500;

/** `told` hears that runs have something in their inboxes. */
export function bulkLooks(context: Context, told: () => void): SingleFlight {
  const { store, self, clock } = context;
  return new SingleFlight(context, 'bulks', 'sweep', async () => {
    const { inboxes, more } = await store.stepBulk({ self, limit: PAGE, now: clock.now() });
    if (inboxes) told();
    return more;
  });
}
