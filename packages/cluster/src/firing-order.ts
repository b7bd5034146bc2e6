/**
 * Which schedules a master fires, and how long it waits before firing. The order decides who usually fires a
 * tick, never who may: the store's compare-and-set accepts one of them.
 */

/** Delay past the due time, in milliseconds, before a master fires another master's tick, by rank. */
export const STANDBY = { second: 250, third: 500, anyone: 1_000 } as const;

/** Who fires what, from one master's point of view. */
export interface FiringOrder {
  /** The master that fires a schedule at its due time. */
  leaderOf(schedule: number): string;
  /** Delay after the due time before this master fires a schedule; 0 for the schedules it leads. */
  delayOf(schedule: number): number;
  /** Whether no other master exists to stand by for. */
  readonly isAlone: boolean;
}

/**
 * Firing order by rendezvous hash: each master has a weight for each schedule, and the heaviest leads. A
 * master that joins or leaves moves only the schedules it leads.
 */
export function rendezvousOrder(self: string, masters: readonly string[]): FiringOrder {
  const names = [...new Set([self, ...masters])].sort();
  const seeds = names.map(hashText);
  const me = names.indexOf(self);
  const weight = (schedule: number, k: number) => mixed(seeds[k], schedule);
  return {
    isAlone: names.length === 1,
    leaderOf(schedule) {
      let first = 0;
      for (let k = 1; k < names.length; k++) if (weight(schedule, k) > weight(schedule, first)) first = k;
      return names[first];
    },
    delayOf(schedule) {
      const mine = weight(schedule, me);
      let rank = 0;
      for (let k = 0; k < names.length; k++) {
        const other = weight(schedule, k);
        if (k !== me && (other > mine || (other === mine && k < me))) rank++;
      }
      return [0, STANDBY.second, STANDBY.third][rank] ?? STANDBY.anyone;
    },
  };
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
  return hash >>> 0;
}

/** Mixes all bits of both: consecutive ids must not get consecutive weights. */
function mixed(seed: number, id: number): number {
  let hash = seed ^ (id | 0) ^ Math.imul(Math.floor(id / 2 ** 32) | 0, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
