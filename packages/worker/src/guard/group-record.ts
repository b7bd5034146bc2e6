/**
 * A file for each process group that a worker has started, as long as anything of it may live: `<group>.<started>`,
 * holding its mark. So a group is found again when no process of it carries the mark any more, and a process id
 * that has gone to somebody else is not mistaken for ours.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMark } from './guard-mark.ts';
import { membersOf, statOf } from './processes.ts';

/** A recorded group. */
export interface GroupRecord {
  readonly file: string;
  readonly group: number;
  /** When its leader started, in clock ticks since boot. */
  readonly started: number;
  readonly mark: string;
}

/**
 * Records a group just started. Where that fails, on a full disk or because the system does not tell when a process
 * started, the group is still found by its mark.
 */
export function recordGroup(folder: string, group: number, mark: string): GroupRecord | undefined {
  const started = statOf(group)?.started;
  if (started === undefined) return undefined;
  const file = join(folder, `${group}.${started}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, mark, { mode: 0o600 });
  } catch {
    return undefined;
  }
  return { file, group, started, mark };
}

/** Forgets a group of which nothing is left. A record that a bad disk keeps does no harm: the group is empty. */
export function eraseGroup({ file }: GroupRecord): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** All groups recorded in a folder; a file that does not hold a mark is ignored. */
export function recordedGroups(folder: string): GroupRecord[] {
  const records: GroupRecord[] = [];
  for (const name of names(folder)) {
    const [, group, started] = /^(\d+)\.(\d+)$/.exec(name) ?? [];
    if (group === undefined) continue;
    const file = join(folder, name);
    const mark = read(file);
    if (mark !== undefined && isMark(mark))
      records.push({ file, group: Number(group), started: Number(started), mark });
  }
  return records;
}

/**
 * The live members of a recorded group. While a group has members its number is given to no process, so a leader
 * that started at another time means that all of ours are gone; without a leader its session tells.
 */
export function liveMembers({ group, started }: GroupRecord): number[] {
  const leader = statOf(group);
  if (leader) return leader.started === started ? membersOf(group) : [];
  return membersOf(group).filter((pid) => {
    const member = statOf(pid);
    return member?.session === group && member.started >= started;
  });
}

/** The worker may erase a record while another process reads the folder. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
