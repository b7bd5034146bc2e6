/**
 * The orders of service. Everything is compared as numbers, smaller first: priorities by their place in the
 * list of priorities (0 is the highest), the rest by sequence numbers, never by a clock. A run's attempts come
 * before those of a later run of the same priority, however urgent a single task of that later run is.
 */
import { InvalidInput } from '../errors.ts';
import { type Priority, priorities } from '../model/glossary.ts';

/** Where an attempt stands in the ready queue. */
export interface QueueKey {
  readonly runPriority: number;
  readonly runSeq: number;
  readonly taskPriority: number;
  readonly taskRunSeq: number;
}

/** Where a command stands among those waiting for a master: equal priorities strictly first come, first served. */
export interface CommandKey {
  readonly priority: number;
  readonly seq: number;
}

/** Where a task run stands in the wait list of its task group. */
export interface GroupKey {
  /** Set by the user for this group; unlike every other priority, the larger goes first. */
  readonly groupPriority: number;
  readonly taskPriority: number;
  readonly seq: number;
}

/** The number of a priority, for storing and comparing. */
export function priorityNumber(priority: Priority): number {
  const number = priorities.indexOf(priority);
  if (number < 0) throw new InvalidInput(`unknown priority "${priority}"; use ${priorities.join(', ')}`);
  return number;
}

/** The priority of a stored number. */
export function priorityName(number: number): Priority {
  const name = priorities[number];
  if (name === undefined)
    throw new InvalidInput(`unknown priority ${number}; use 0 to ${priorities.length - 1}`);
  return name;
}

/** Compares two places in the ready queue for `sort`. */
export function compareQueueKeys(a: QueueKey, b: QueueKey): number {
  return (
    a.runPriority - b.runPriority ||
    a.runSeq - b.runSeq ||
    a.taskPriority - b.taskPriority ||
    a.taskRunSeq - b.taskRunSeq
  );
}

/** Compares two waiting commands for `sort`. */
export function compareCommands(a: CommandKey, b: CommandKey): number {
  return a.priority - b.priority || a.seq - b.seq;
}

/** Compares two task runs that wait for a slot of the same task group for `sort`. */
export function compareGroupWaiters(a: GroupKey, b: GroupKey): number {
  return b.groupPriority - a.groupPriority || a.taskPriority - b.taskPriority || a.seq - b.seq;
}

/** A place as one word, for people and logs: `2_10_2_9`. Compare keys, not words: as text 10 comes before 9. */
export function formatQueueKey(key: QueueKey): string {
  return [key.runPriority, key.runSeq, key.taskPriority, key.taskRunSeq].join('_');
}

/** Reads a place back from its word. */
export function parseQueueKey(text: string): QueueKey {
  const parts = /^([0-4])_(\d+)_([0-4])_(\d+)$/.exec(text);
  if (!parts) {
    throw new InvalidInput(
      `"${text}" is no place in a queue; write run priority, run, task priority and task run as 2_10_2_9`,
    );
  }
  const [runPriority, runSeq, taskPriority, taskRunSeq] = parts.slice(1).map(Number);
  return { runPriority, runSeq, taskPriority, taskRunSeq };
}
