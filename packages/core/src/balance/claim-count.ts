/**
 * How many schedules a master claims or sheds in one step, by the rules for single ones. A master first
 * claims its even share, so that masters joining together end up alike; it goes up to its limit only for
 * schedules the others leave.
 */
import { shouldClaim } from './decide.ts';
import { type ClaimView, limitOf, type MasterLoad, masterOf } from './limit.ts';

/** How many more schedules the master may claim now: up to its even share, or up to its limit. */
export function claimRoom(view: ClaimView, name: string, upTo: 'share' | 'limit'): number {
  if (!shouldClaim(view, name).yes) return 0;
  const limit = limitOf(view, name);
  const most = upTo === 'limit' ? limit : Math.min(limit, shareOf(view, name));
  return Math.max(0, most - masterOf(view, name).held);
}

/**
 * How many schedules, at most `most`, the master gives back at once: as many as repeated `shouldShed` calls
 * allow, each claimed by the least loaded master. Call it only while no schedule is free: free ones fill the
 * room it counts on.
 */
export function shedCount(view: ClaimView, name: string, most: number): number {
  const self = masterOf(view, name);
  if (self.offline) return Math.min(most, self.held);
  const weight = self.weight ?? 1;
  const others = view.masters.filter((one) => one !== self && !one.offline).map((one) => roomOf(view, one));
  const limit = limitOf(view, name);
  let held = self.held;
  while (self.held - held < most && held > limit) {
    const taker = leastLoaded(others);
    if (!taker || (taker.held + 1) * weight >= held * taker.weight) break;
    taker.held++;
    held--;
  }
  return self.held - held;
}

interface Room {
  held: number;
  readonly limit: number;
  readonly weight: number;
}

function roomOf(view: ClaimView, { name, held, weight = 1 }: MasterLoad): Room {
  return { held, limit: limitOf(view, name), weight };
}

function leastLoaded(rooms: readonly Room[]): Room | undefined {
  let least: Room | undefined;
  for (const room of rooms) {
    if (room.held >= room.limit) continue;
    if (!least || (room.held + 1) * least.weight < (least.held + 1) * room.weight) least = room;
  }
  return least;
}

function shareOf(view: ClaimView, name: string): number {
  const { weight = 1 } = masterOf(view, name);
  const online = view.masters.filter(({ offline }) => !offline);
  const sum = online.reduce((total, master) => total + (master.weight ?? 1), 0);
  return Math.ceil((weight * view.schedules) / sum);
}
