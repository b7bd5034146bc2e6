/** Ends what workers have left behind on this machine, found by marks and by recorded groups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eraseTag, recordedTags, tagsOf } from '../isolation/tag.ts';
import { eraseGroup, liveMembers, recordedGroups } from './group-record.ts';
import { marksOfFolder, marksOfWorker } from './guard-mark.ts';
import { lineage, markOf, processIds, signalCarrier, signalGroup } from './processes.ts';

/** Between two looks at what is left. */
const PAUSE = 50;

/**
 * Kills every process whose mark begins with `prefix`, and every recorded group of such a mark; how many processes
 * were found. Nothing is left once this answers 0. What this process is part of, itself a task perhaps, is spared.
 */
export function killOnce(folder: string, prefix: string): number {
  const found = new Set<number>();
  const own = lineage();
  const spared = new Set(own.map(markOf));
  const doomed = (mark: string): boolean => mark.startsWith(prefix) && !spared.has(mark);
  for (const record of recordedGroups(folder)) {
    if (!doomed(record.mark)) continue;
    const members = liveMembers(record);
    if (members.some((pid) => own.includes(pid))) continue;
    for (const pid of members) found.add(pid);
    if (members.length > 0) signalGroup(record.group, 'SIGKILL');
    else eraseGroup(record);
  }
  const tags = new Map(recordedTags(folder).map(({ tag, mark }) => [tag, mark]));
  for (const pid of processIds()) {
    const tag = tags.size === 0 ? undefined : tagsOf(pid).find((one) => tags.has(one));
    const mark = tag === undefined ? markOf(pid) : tags.get(tag);
    if (mark === undefined || !doomed(mark) || own.includes(pid)) continue;
    found.add(pid);
    signalCarrier({ pid, mark, tag }, 'SIGKILL');
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
  for (const { tag, mark } of recordedTags(folder)) if (mark.startsWith(prefix)) eraseTag(folder, tag);
  return most;
}

/**
 * Ends the task processes left on this machine by workers that kept their state in `folder`: by all, or by the one of
 * this name. A worker that runs now loses its tasks too: stop it first.
 */
export function cleanLeftovers(folder: string, worker?: string): Promise<number> {
  return killAll(
    groupsFolder(folder),
    worker === undefined ? marksOfFolder(folder) : marksOfWorker(worker, folder),
  );
}

/** Where under a worker's folder its groups are recorded. */
export function groupsFolder(folder: string): string {
  return `${folder}/groups`;
}
