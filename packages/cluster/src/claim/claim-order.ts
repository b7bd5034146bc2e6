/** The firing order of claim mode: a master fires what it holds, and stands by for everything else. */
import { type FiringOrder, rendezvousOrder, STANDBY } from '../firing-order.ts';

/** Who holds a schedule that this master does not: it knows only what it holds itself. */
const ANOTHER = '';

/**
 * The order of a master that holds these schedules. The set may change while the order is in use. Others' schedules,
 * and those that nobody holds yet, are watched by rank of a rendezvous hash, so that not all masters fire them at once.
 */
export function claimOrder(self: string, masters: readonly string[], held: ReadonlySet<number>): FiringOrder {
  const standby = rendezvousOrder(self, masters);
  return {
    isAlone: standby.isAlone,
    leaderOf: (schedule) => (held.has(schedule) ? self : ANOTHER),
    delayOf: (schedule) => (held.has(schedule) ? 0 : Math.max(STANDBY.second, standby.delayOf(schedule))),
  };
}
