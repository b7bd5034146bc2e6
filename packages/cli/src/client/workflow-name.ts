/** Names of workflows, and of what else projects have, as people write them. */
import { InvalidInput } from '@orrery/core/errors';

/** `project/name`, or `name` in the project `default`. */
export function nameOf(written: string, what = 'workflow'): { project: string; name: string } {
  const parts = written.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new InvalidInput(
      `"${written}" is no ${what}; write project/name, or name in the project "default"`,
    );
  const [name, project = 'default'] = parts.reverse();
  return { project, name };
}
