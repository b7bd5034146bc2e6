/** Reading what is kept as JSON: what cannot be read is told apart from a database that is away. */
import { BadEntry } from './errors.ts';

/** The object that a text stands for; `what` names it where it stands for none. */
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

/** The same, or what stands for it where it cannot be read. */
export function readOr<T extends object>(text: string, otherwise: T): T {
  try {
    return readJson(text, '');
  } catch {
    return otherwise;
  }
}
