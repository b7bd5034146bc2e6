/**
 * A file for each process group that a worker has started, kept while any of its processes may live:
 * `<group>.<started>`, containing its mark. The record finds a group whose processes no longer carry the
 * mark, and prevents a reused process id from being mistaken for the worker's.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMark } from './guard-mark.ts';
import { membersOf, statOf } from './processes.ts';

/** A recorded group. */
export interface GroupRecord {
  readonly file: string;
  readonly group: number;
  /** The start time of its leader, in clock ticks since boot. */
  readonly started: number;
  readonly mark: string;
}

/**
 * Records a group just started. If that fails, because the disk is full or the system does not report the
 * start time, the group can still be found by its mark.
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

/** Deletes the record of an empty group. A record that cannot be deleted does no harm: the group is empty. */
export function eraseGroup({ file }: GroupRecord): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** All groups recorded in a folder. A file without a valid mark is ignored. */
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
 * The live members of a recorded group. A group's number is not reused while it has members. So if the leader
 * has another start time, all members of the recorded group are gone; without a leader, the session decides.
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
