/** Reads stored JSON; an unreadable text is a bad entry, not an unavailable database. */
import { BadEntry } from './errors.ts';

/** Parses a text to an object; `what` names it in the error. */
export function readJson<T extends object>(text: string, what: string): T {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new BadEntry(`${what} cannot be read: ${(error as Error).message}`);
  }
  if (typeof found !== 'object' || found === null) throw new BadEntry(`${what} says nothing`);
  return found as T;
}

/** The same, with a default for an unreadable text. */
export function readOr<T extends object>(text: string, otherwise: T): T {
  try {
    return readJson(text, '');
  } catch {
    return otherwise;
  }
}
