/** The `python` task: a program in Python, in a process of its own, with its packages in a cached virtual environment. */
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { definePlugin, type Plugin, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { exitText } from '../exit-text.ts';
import type { Places } from '../places.ts';
import { PythonEnvironments } from './environments.ts';

const schema = z
  .strictObject({
    code: z
      .string()
      .min(1)
      .optional()
      .describe('The program. It reads its parameters from the JSON file named in ORRERY_PARAMS.')
      .meta({ format: 'python' }),
    file: z
      .string()
      .min(1)
      .optional()
      .describe("In place of code: a file, absolute or below the worker's code folder."),
    args: z.array(z.coerce.string()).default([]).describe('Arguments of the program.'),
    interpreter: z.string().min(1).default('python3').describe('The Python to run it with.'),
    requirements: z
      .array(
        z
          .string()
          .min(1)
          .regex(/^[^-\s][^\r\n]*$/, 'names one package; options of pip do not belong here'),
      )
      .max(200)
      .default([])
      .describe(
        'Packages it needs, as in "requests==2.32.3"; installed once for all tasks that need the same.',
      ),
    index: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Where packages come from: the address of an index, or a folder of packages, then nothing else is asked. Default: what pip is configured for on the worker.',
      ),
    cwd: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The folder to run in: absolute, or below the worker's code folder. Default: the work folder.",
      ),
  })
  .refine(({ code, file }) => (code === undefined) !== (file === undefined), 'give either code or file');

/** Made for one worker, which keeps the environments. */
export function pythonTask({ codeFolder, cacheFolder }: Places): Plugin {
  const environments = new PythonEnvironments(join(cacheFolder, 'python'));
  return definePlugin({
    name: 'python',
    title: 'Python',
    description: 'Runs a Python program; exit code 0 is success.',
    schema,
    async run(context) {
      const { with: settings, params, workDir, exec } = context;
      const { code, file, args, cwd } = settings;
      const program = file === undefined ? join(workDir, 'main.py') : resolve(codeFolder, file);
      if (code !== undefined) writeFileSync(program, code, { mode: 0o600 });
      else if (!existsSync(program)) throw new TaskFailure(`${program} does not exist`, { fatal: true });
      const values = join(workDir, 'params.json');
      writeFileSync(values, JSON.stringify(params), { mode: 0o600 });
      const exitCode = await environments.use(context, settings, (python) =>
        exec(python, [program, ...args], {
          cwd: cwd === undefined ? undefined : resolve(codeFolder, cwd),
          environment: { ORRERY_PARAMS: values, PYTHONUNBUFFERED: '1' },
        }),
      );
      if (exitCode !== 0) throw new TaskFailure(exitText(exitCode));
    },
  });
}
