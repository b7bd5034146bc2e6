/** Kills a process group and all carriers of a mark. Settles only when none of them is left. */
import type { Clock } from '@orrery/core/timing';
import type { ProcessScan } from './process-scan.ts';
import { type Carrier, groupIsEmpty, signalCarrier, signalGroup } from './processes.ts';

const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 500;
/** Number of checks after which a group that still exists is tested for holding only zombies. */
const PATIENCE = 3;

/** Goes on for as long as needed: a process that cannot be killed delays the report of its attempt. */
export async function sweep(scan: ProcessScan, clock: Clock, group: number, mark: string): Promise<void> {
  let groupLives = true;
  for (let look = 1; ; look++) {
    // Once the group is empty, its number may be reused.
    groupLives &&= signalGroup(group, 'SIGKILL');
    const carriers = await carriersOf(scan, mark);
    groupLives &&= look < PATIENCE ? signalGroup(group, 0) : !isEmpty(group);
    if (carriers?.length === 0 && !groupLives) return;
    for (const carrier of carriers ?? []) signalCarrier(carrier, 'SIGKILL');
    const pause = Math.min(FIRST_PAUSE * 2 ** look, LONGEST_PAUSE);
    await new Promise<void>((resolve) => clock.setTimer(pause, resolve));
  }
}

/** The carriers of a mark; undefined if they cannot be read now and must be checked again. */
async function carriersOf(scan: ProcessScan, mark: string): Promise<Carrier[] | undefined> {
  const seen = await scan.carriers().catch(() => undefined);
  return seen?.filter((carrier) => carrier.mark === mark);
}

/** Whether a group is known to be empty. */
function isEmpty(group: number): boolean {
  try {
    return groupIsEmpty(group);
  } catch {
    return false;
  }
}
