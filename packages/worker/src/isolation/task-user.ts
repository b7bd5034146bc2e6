/** System users that tasks run as, looked up once at the start of a worker: a task can name no other user. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { InvalidInput } from '@orrery/core/errors';

const run = promisify(execFile);

/** A system user. */
export interface TaskUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** All its groups, the primary one included. */
  readonly groups: readonly number[];
}

/** A tenant that a worker serves: the system user of that name, for every project or for the listed ones. */
export interface TenantRule {
  readonly name: string;
  readonly projects?: readonly string[];
}

/** Parses `etl` and `sales:shop,web`, the form on the command line. */
export function tenantRule(text: string): TenantRule {
  const [, name, projects] = /^([A-Za-z_][\w.-]*)(?::([\w./-]+(?:\+[\w./-]+)*))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidInput(`"${text}" is no tenant; write USER, or USER:PROJECT+PROJECT`, 'worker tenants');
  return projects === undefined ? { name } : { name, projects: projects.split('+') };
}

/** Looks a user up in the system's user databases. Root is refused: a task of root is not isolated. */
export async function findUser(name: string): Promise<TaskUser> {
  const ask = async (flag: string): Promise<number[]> =>
    (await run('id', [flag, '--', name])).stdout.trim().split(' ').map(Number);
  let found: number[][];
  try {
    found = await Promise.all([ask('-u'), ask('-g'), ask('-G')]);
  } catch {
    throw new InvalidInput(`there is no system user "${name}" on this machine`, 'worker tenants');
  }
  const [[uid], [gid], groups] = found;
  if (uid === 0 || groups.includes(0))
    throw new InvalidInput(`tasks cannot run as "${name}": it is root or in its group`, 'worker tenants');
  return { name, uid, gid, groups };
}
