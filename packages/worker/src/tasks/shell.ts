/** The `shell` task: a script, run by a shell in its own process. */
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { definePlugin, type Plugin, TaskFailure } from '../plugin/contract.ts';
import { carryValues } from './carried-values.ts';

const schema = z.strictObject({
  script: z
    .string()
    .min(1)
    .describe('The script; values given at the start or printed by tasks reach it as variables.'),
  shell: z.string().min(1).default('/bin/sh').describe('The program that reads the script.'),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe("The folder to run in: absolute, or below the worker's code folder. Default: the work folder."),
});

/**
 * The script is a file that only the worker's user can read: on a command line every user of the machine
 * could see it, and it is limited to 128 KB there.
 */
export function shellTask(codeFolder: string): Plugin {
  return definePlugin({
    name: 'shell',
    title: 'Shell',
    description: 'Runs a script with a shell; exit code 0 is success.',
    schema,
    async run({ with: { script, shell, cwd }, params, workDir, exec }) {
      const file = join(workDir, 'script');
      const carried = carryValues(script, params, workDir);
      writeFileSync(file, carried.script, { mode: 0o600 });
      const code = await exec(shell, [file], {
        cwd: cwd === undefined ? undefined : resolve(codeFolder, cwd),
        environment: carried.environment,
      });
      if (code !== 0) throw new TaskFailure(exitText(code));
    },
  });
}

/** Describes an exit code: shells add 128 to the number of a signal. */
export function exitText(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal ? `exit code ${code} (ended by ${signal})` : `exit code ${code}`;
}
