/** Ends what workers have left behind on this machine, found by tokens and by recorded groups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eraseGroup, liveMembers, recordedGroups } from './group-record.ts';
import { processIds, signalCarrier, signalGroup, TOKEN_VARIABLE, tokenOf } from './processes.ts';
import { tokensOfWorker } from './token.ts';

/** Between two looks at what is left. */
const PAUSE = 50;

/**
 * Kills every process whose token begins with `prefix`, and every recorded group of such a token; how many
 * processes were found. Nothing is left once this answers 0.
 */
export function killOnce(folder: string, prefix: string): number {
  const found = new Set<number>();
  // A cleanup that is itself run by a task does not end itself.
  const own = process.env[TOKEN_VARIABLE];
  const doomed = (token: string): boolean => token.startsWith(prefix) && token !== own;
  for (const record of recordedGroups(folder)) {
    if (!doomed(record.token)) continue;
    const members = liveMembers(record);
    for (const pid of members) found.add(pid);
    if (members.length > 0) signalGroup(record.group, 'SIGKILL');
    else eraseGroup(record);
  }
  for (const pid of processIds()) {
    const token = tokenOf(pid);
    if (token === undefined || !doomed(token)) continue;
    found.add(pid);
    signalCarrier({ pid, token }, 'SIGKILL');
  }
  return found.size;
}

/** Kills until nothing with this prefix is left; the processes found. */
export async function killAll(folder: string, prefix: string): Promise<number> {
  let most = 0;
  for (let found = killOnce(folder, prefix); found > 0; found = killOnce(folder, prefix)) {
    most = Math.max(most, found);
    await sleep(PAUSE);
  }
  return most;
}

/**
 * Ends the task processes that earlier workers left on this machine: of the worker of this name that keeps its state
 * in `folder`, or of all. A worker that runs now loses its tasks too: stop it first.
 */
export function cleanLeftovers(folder: string, worker?: string): Promise<number> {
  return killAll(groupsFolder(folder), worker === undefined ? '' : tokensOfWorker(worker, folder));
}

/** Where under a worker's folder its groups are recorded. */
export function groupsFolder(folder: string): string {
  return `${folder}/groups`;
}
