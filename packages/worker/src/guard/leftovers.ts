/** Kills processes that workers have left on this machine, found by marks and by recorded groups. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eraseTag, recordedTags, tagsOf } from '../isolation/tag.ts';
import { eraseGroup, liveMembers, recordedGroups } from './group-record.ts';
import { marksOfFolder, marksOfWorker } from './guard-mark.ts';
import { lineage, markOf, processIds, signalCarrier, signalGroup, statOf } from './processes.ts';

/** Pause between two scans. */
const PAUSE = 50;

/**
 * Kills every process whose mark begins with `prefix`, and every recorded group of such a mark. Returns how
 * many processes it found; 0 means none is left. This process and its ancestors are spared, since it may
 * itself run in a task.
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
    if (tag === undefined) killUnrecorded(pid, mark, own);
    signalCarrier({ pid, mark, tag }, 'SIGKILL');
  }
  return found.size;
}

/**
 * Kills the group of a marked process if a session was started for it, as guards do: a worker killed before it
 * recorded the group leaves members there without a mark, and the watcher may be found before it acts.
 */
function killUnrecorded(pid: number, mark: string, own: readonly number[]): void {
  const { group, session } = statOf(pid) ?? {};
  if (group === undefined || group !== session) return;
  // Its id may have been reused since the scan: only a process that still has the mark says which group it is.
  if (markOf(pid) !== mark) return;
  if (own.every((each) => statOf(each)?.group !== group)) signalGroup(group, 'SIGKILL');
}

/** Kills until no process with this prefix is left. Returns how many it found. */
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
 * Kills the task processes left on this machine by workers that kept their state in `folder`: all of them, or
 * the one with this name. A running worker loses its tasks too, so stop it first.
 */
export function cleanLeftovers(folder: string, worker?: string): Promise<number> {
  return killAll(
    groupsFolder(folder),
    worker === undefined ? marksOfFolder(folder) : marksOfWorker(worker, folder),
  );
}

/** The folder of group records in a worker's folder. */
export function groupsFolder(folder: string): string {
  return `${folder}/groups`;
}
