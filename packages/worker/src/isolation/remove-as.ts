/** Removes a task's files in its home with the rights of the home's owner: root would follow links. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { asUser } from './launch.ts';

const run = promisify(execFile);

/** Empties a folder of a user; the folder itself stays. Fails if an entry cannot be removed. */
export async function removeAs({ uid, gid }: { uid: number; gid: number }, folder: string): Promise<void> {
  const [command, ...rest] = asUser({ name: '', uid, gid, groups: [gid] });
  await run(command, [...rest, 'find', folder, '-mindepth', '1', '-delete'], { cwd: '/' });
}
