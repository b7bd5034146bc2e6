/**
 * Carries out bulks, each one change of many runs. Any master may take any step: the store locks a bulk
 * during the step, and commits the result of each run together with the message to it. No master owns a bulk,
 * so when one dies the beat of another finds the rest.
 */

import type { Context } from '../ports.ts';
import { SingleFlight } from '../single-flight.ts';

/** Runs in one step: few enough not to slow down running workflows. */
const PAGE = 500;

/** `told` is called when inboxes have new rows. */
export function bulkLooks(context: Context, told: () => void): SingleFlight {
  const { store, self, clock } = context;
  return new SingleFlight(context, 'bulks', 'sweep', async () => {
    const { inboxes, more } = await store.stepBulk({ self, limit: PAGE, now: clock.now() });
    if (inboxes) told();
    return more;
  });
}
