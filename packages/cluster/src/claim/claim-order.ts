/** Firing order of claim mode: a master fires the schedules it holds and stands by for all others. */
import { type FiringOrder, rendezvousOrder, STANDBY } from '../firing-order.ts';

/** Stands for any other holder: a master knows only its own holdings. */
const ANOTHER = '';

/**
 * Firing order of a master that holds the given schedules. The set may change while the order is in use.
 * Masters rank by rendezvous hash to stand by for other schedules, held or free, so that they do not all fire
 * at once.
 */
export function claimOrder(self: string, masters: readonly string[], held: ReadonlySet<number>): FiringOrder {
  const standby = rendezvousOrder(self, masters);
  return {
    isAlone: standby.isAlone,
    leaderOf: (schedule) => (held.has(schedule) ? self : ANOTHER),
    delayOf: (schedule) => (held.has(schedule) ? 0 : Math.max(STANDBY.second, standby.delayOf(schedule))),
  };
}
