/**
 * The processes of this machine, read from `/proc` on Linux, and signals to them. A process carries a mark if
 * it was started with one in `ORRERY_GUARD`: children inherit it, even those that leave their group and
 * session. On other systems no process is visible here, and only process groups can be signalled.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { tagsOf } from '../isolation/tag.ts';
import { isMark } from './guard-mark.ts';

/** A process that carries a mark: in its environment, or by the tag that represents it. */
export interface Carrier {
  readonly pid: number;
  readonly mark: string;
  readonly tag?: number;
}

/** The fields of `/proc/<pid>/stat` that are used here. Times are in clock ticks. */
export interface ProcessStat {
  readonly zombie: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Processor time of the process and of its reaped children. */
  readonly cpu: number;
  /** Start time since boot: together with the process id it identifies a process for good. */
  readonly started: number;
}

/** The environment variable that marks every process of an attempt. */
export const MARK_VARIABLE = 'ORRERY_GUARD';

const linux = process.platform === 'linux';
const pattern = `${MARK_VARIABLE}=`;
const buffer = Buffer.alloc(65_536);

/** The ids of all processes; empty if the system does not list them. */
export function processIds(): number[] {
  if (!linux) return [];
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/**
 * The mark a process carries. Zombies, other users' processes and ended processes have none. Throws if no
 * file descriptor is free.
 */
export function markOf(pid: number): string | undefined {
  const environment = readEnvironment(pid);
  if (!environment) return undefined;
  for (let at = environment.indexOf(pattern); at >= 0; at = environment.indexOf(pattern, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    const text = environment.toString('utf8', at + pattern.length, end < 0 ? undefined : end);
    return isMark(text) ? text : undefined;
  }
  return undefined;
}

/** State, group and times of a process. */
export function statOf(pid: number): ProcessStat | undefined {
  if (!linux) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may contain anything.
    const field = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const number = (n: number): number => Number(field[n - 3]);
    return {
      zombie: field[0] === 'Z' || field[0] === 'X',
      parent: number(4),
      group: number(5),
      session: number(6),
      cpu: number(14) + number(15) + number(16) + number(17),
      started: number(22),
    };
  } catch {
    return undefined;
  }
}

/** This process and its ancestors; only this process if the system does not report them. */
export function lineage(): number[] {
  const pids: number[] = [];
  for (let pid = process.pid; pid > 0; pid = statOf(pid)?.parent ?? 0) pids.push(pid);
  return pids;
}

/** The processes of a group that are not zombies. */
export function membersOf(group: number): number[] {
  return processIds().filter((pid) => {
    const stat = statOf(pid);
    return stat?.group === group && !stat.zombie;
  });
}

/** Whether a group has no running process. */
export function groupIsEmpty(group: number): boolean {
  return !signalGroup(group, 0) || (linux && membersOf(group).length === 0);
}

/** Sends a signal to a group. Returns false if the group does not exist. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // kill(-1) signals every process, kill(0) our own group.
  if (!(group > 1)) throw new RangeError(`${group} is no process group of a task`);
  return send(-group, signal);
}

/** Sends a signal to a process if it still carries that mark: its id may have been reused since the scan. */
export function signalCarrier(carrier: Carrier, signal: NodeJS.Signals): boolean {
  return carries(carrier) && send(carrier.pid, signal);
}

function carries({ pid, mark, tag }: Carrier): boolean {
  try {
    return tag === undefined ? markOf(pid) === mark : tagsOf(pid).includes(tag);
  } catch {
    return false;
  }
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Whether this process or the system is out of file descriptors: nothing was seen, which does not mean that
 * nothing is there.
 */
function isShort(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

function readEnvironment(pid: number): Buffer | undefined {
  try {
    const path = `/proc/${pid}/environ`;
    const file = openSync(path, 'r');
    try {
      const length = readSync(file, buffer, 0, buffer.length, null);
      return length < buffer.length ? buffer.subarray(0, length) : readFileSync(path);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isShort(error)) throw error;
    return undefined;
  }
}
