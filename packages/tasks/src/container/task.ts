/** The `container` task: an image run by podman or docker on the worker; it ends with its worker. */
import { resolve } from 'node:path';
import { definePlugin, type Plugin, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { applicationTag } from '../command/applications.ts';
import { exitText } from '../exit-text.ts';
import type { Places } from '../places.ts';

const text = z.string().min(1);
const word = text.regex(/^[^-\s,:][^\s,]*$/, 'begins with no "-" and has neither spaces nor commas');

/** The settings of the task. */
export const containerSchema = z.strictObject({
  program: text.default('podman').describe('The command: podman, docker, or the path of one.'),
  image: word.describe('The image to run.'),
  command: z
    .array(z.coerce.string())
    .default([])
    .describe('What to run in it; what the image says unless given.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/, 'is no name of a variable'), z.coerce.string())
    .default({}),
  mounts: z
    .array(
      z.strictObject({
        source: word.describe('A folder or file of the worker: absolute, or below its code folder.'),
        path: word.regex(/^\//, 'is absolute'),
        readOnly: z.boolean().default(true),
      }),
    )
    .max(50)
    .default([])
    .describe('Folders of the worker that the container sees.'),
  cpus: z.number().positive().max(1_024).optional().describe('How many processors it may use.'),
  memory: text
    .regex(/^\d+[bkmg]?$/, 'is an amount, as in 512m or 4g')
    .optional()
    .describe('How much it may use.'),
  network: word.optional().describe('The network it is on: none, host, or what the command accepts.'),
  user: word.optional().describe('Whom it runs as.'),
  workDir: text.regex(/^\//, 'is absolute').optional(),
  pull: z
    .enum(['always', 'missing', 'never'])
    .default('missing')
    .describe('Whether the image is fetched first.'),
});

type Settings = z.output<typeof containerSchema>;

/** The variable by which the worker finds every process of an attempt: with it in the container, nothing is left. */
const MARK_VARIABLE = 'ORRERY_GUARD';

/** Removes a container by force; succeeds where there is none. */
const REMOVE = '"$0" rm -f "$1" > /dev/null 2>&1; ! "$0" inspect --type container "$1" > /dev/null 2>&1';

/**
 * The arguments that run a container. Values of variables come from the command's environment, so that they
 * are not visible to other users.
 */
export function containerArgs(settings: Settings, name: string, codeFolder: string): string[] {
  const { image, command, env, mounts, cpus, memory, network, user, workDir, pull } = settings;
  const option = (flag: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${flag}=${value}`];
  return [
    'run',
    '--rm',
    `--name=${name}`,
    `--label=orrery.attempt=${name}`,
    `--pull=${pull}`,
    ...[MARK_VARIABLE, ...Object.keys(env)].map((variable) => `--env=${variable}`),
    ...mounts.map(
      ({ source, path, readOnly }) =>
        `--volume=${resolve(codeFolder, source)}:${path}${readOnly ? ':ro' : ''}`,
    ),
    ...option('cpus', cpus),
    ...option('memory', memory),
    ...option('network', network),
    ...option('user', user),
    ...option('workdir', workDir),
    image,
    ...command,
  ];
}

/** Made for one worker. */
export function containerTask({ codeFolder }: Places): Plugin {
  return definePlugin({
    name: 'container',
    title: 'Container',
    description: 'Runs a container on the worker; exit code 0 is success.',
    schema: containerSchema,
    async run({ with: settings, attempt, isIsolated, hold, exec }) {
      // A user who can start containers can read and write everything that the worker can.
      if (isIsolated)
        throw new TaskFailure('this worker isolates tasks; containers need one that does not', {
          fatal: true,
        });
      const name = applicationTag(attempt);
      await hold(name, { outlives: false });
      const code = await exec(settings.program, containerArgs(settings, name, codeFolder), {
        environment: settings.env,
      });
      if (code !== 0) throw new TaskFailure(exitText(code));
    },
    async end({ with: settings, exec }, name) {
      const code = await exec('/bin/sh', ['-c', REMOVE, settings.program, name]);
      if (code !== 0) throw new TaskFailure(`container ${name} could not be removed`);
    },
  });
}
