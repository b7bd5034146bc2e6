/** Lines that the console prints for a terminal, typed into one as they are, in a folder with no file of their own. */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

/** Runs a line in a shell, below the repository: npx finds the command there. */
export function typeLine(line: string): { readonly status: number | null; readonly stderr: string } {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const { status, stderr } = spawnSync('sh', ['-c', line], {
    cwd: join(import.meta.dirname, '..'),
    // npm warns of settings of the machine.
    env: { ...process.env, PATH: path, npm_config_loglevel: 'error' },
    encoding: 'utf8',
  });
  return { status, stderr };
}
