/**
 * A plan as a firing order: the holder fires at the due time, and others stand by. The rank of a standby is
 * computed without visiting all masters, since a new plan asks for many schedules at once.
 */
import { ownersOf, type Plan } from '@orrery/core/shard';
import { type FiringOrder, rendezvousOrder, STANDBY } from '../firing-order.ts';

/** The firing order of a plan for `self`. A plan without nodes falls back to the hash. */
export function planOrder(self: string, plan: Plan): FiringOrder {
  const holderOf = ownersOf(plan);
  const places = new Map(plan.nodes.map((node, k) => [node, k]));
  const others = places.size - 1;
  const own = places.get(self);
  const hash = rendezvousOrder(self, plan.nodes);
  return {
    isAlone: hash.isAlone,
    leaderOf: (schedule) => holderOf(schedule) ?? hash.leaderOf(schedule),
    delayOf(schedule) {
      const holder = holderOf(schedule);
      if (holder === self) return 0;
      if (holder === undefined) return hash.delayOf(schedule);
      if (own === undefined) return STANDBY.anyone;
      const distance = (own - (places.get(holder) ?? 0) + places.size) % places.size;
      // Spreads the schedules of one holder over all other masters.
      const rank = (distance - 1 + mixed(schedule)) % others;
      if (rank === 0) return STANDBY.second;
      return rank === 1 ? STANDBY.third : STANDBY.anyone;
    },
  };
}

/** Gives neighbouring ids unrelated numbers. */
function mixed(id: number): number {
  const hash = Math.imul(id ^ (id >>> 15), 0x9e3779b1);
  return (hash ^ (hash >>> 13)) >>> 0;
}
