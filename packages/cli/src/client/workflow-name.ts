/** Names of workflows as people write them. */
import { InvalidInput } from '@orrery/core/errors';

/** `project/name`, or `name` in the project `default`. */
export function nameOf(written: string): { project: string; name: string } {
  const parts = written.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new InvalidInput(
      `"${written}" is no workflow; write project/name, or name in the project "default"`,
    );
  const [name, project = 'default'] = parts.reverse();
  return { project, name };
}
