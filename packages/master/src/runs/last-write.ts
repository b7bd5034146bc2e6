/** A write whose answer was lost may still be in flight and commit after this master gave it up. */
import type { Context } from '../ports.ts';

/**
 * Settles when no such write is left, so that later reads are final. Every write of a master share-locks its
 * row until it is over, and a beat changes that row.
 */
export async function lastWriteOver({
  store,
  self,
  clock,
}: Pick<Context, 'store' | 'self' | 'clock'>): Promise<void> {
  await store.beat({ self, now: clock.now() });
}
