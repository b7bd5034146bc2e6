/** A write whose answer was lost may still be under way at the store, and come true after it was given up here. */
import type { Context } from '../ports.ts';

/**
 * Settles when nothing of the kind is left: what is read then is what counts. Every write of a master share-locks its
 * row until it is over, and a beat changes that row.
 */
export async function lastWriteOver({
  store,
  self,
  clock,
}: Pick<Context, 'store' | 'self' | 'clock'>): Promise<void> {
  await store.beat({ self, now: clock.now() });
}
