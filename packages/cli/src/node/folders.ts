/**
 * Folders that a process is configured to read: a missing one is reported at the start, not at the first
 * task.
 */
import { statSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';

/** Refuses a path that is no folder, by the name of the option it came from; none is fine. */
export function requireFolder(path: string | undefined, option: string): void {
  if (path === undefined) return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new InvalidInput(`there is no folder ${path}`, option);
  if (!found.isDirectory()) throw new InvalidInput(`${path} is not a folder`, option);
}
