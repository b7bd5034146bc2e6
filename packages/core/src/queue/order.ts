/**
 * The orders of service. All keys are numbers, smaller first: priorities by their index in the list of
 * priorities (0 is the highest), the rest by sequence numbers, never by a clock. A run's attempts come before
 * those of a later run of the same priority, however urgent a task of the later run is.
 */
import { InvalidInput } from '../errors.ts';
import { type Priority, priorities } from '../model/glossary.ts';
import { said } from '../texts/index.ts';

/**
 * Place of a command among those waiting for a master: equal priorities are strictly first come, first
 * served.
 */
export interface CommandKey {
  readonly priority: number;
  readonly seq: number;
}

/** The number of a priority, for storing and comparing. */
export function priorityNumber(priority: Priority): number {
  const number = priorities.indexOf(priority);
  if (number < 0) throw new InvalidInput(said('value.priority', { text: priority, names: priorities }));
  return number;
}

/** The priority of a stored number. */
export function priorityName(number: number): Priority {
  const name = priorities[number];
  if (name === undefined)
    throw new InvalidInput(said('value.priorityNumber', { number, most: priorities.length - 1 }));
  return name;
}

/** Compares two waiting commands for `sort`. */
export function compareCommands(a: CommandKey, b: CommandKey): number {
  return a.priority - b.priority || a.seq - b.seq;
}
