/** The `ssh` task: a script on another host, over the system's ssh client. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierVariable, isShell } from '@orrery/core/params';
import { definePlugin, type Plugin, type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { z } from 'zod';
import { givenConnection } from '../connections/given.ts';
import type { Probe } from '../connections/test-task.ts';
import { exitText } from '../exit-text.ts';
import { LOCAL, quote, remoteProgram } from './programs.ts';

const schema = z.strictObject({
  connection: z.string().min(1).describe('The host.').meta({ format: 'connection' }),
  script: z.string().min(1).describe('What to run there.').meta({ format: 'shell' }),
  shell: z
    .string()
    .regex(/^\/[\w./+-]+$/, 'is a path, as in /bin/bash')
    .default('/bin/sh')
    .describe('The program that reads the script, by its path on that host.'),
});

/** The settings of an `ssh` connection. */
interface SshSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly key: string;
  readonly hostKey: string;
}

/** The client's own exit code: it could not connect, or lost the connection. */
const NOT_CONNECTED = 255;

/** Made for any worker. */
export function sshTask(): Plugin {
  return definePlugin({
    name: 'ssh',
    title: 'SSH',
    description: 'Runs a script on another host; exit code 0 is success.',
    schema,
    async run(context) {
      const { connection, script, shell } = context.with;
      const { settings } = givenConnection(context, connection, ['ssh']);
      const whole = isShell(shell) ? withValues(script, context.params) : script;
      const code = await runThere(context, settings as unknown as SshSettings, whole, shell);
      if (code !== 0) throw new TaskFailure(exitText(code));
    },
  });
}

/** The script with the variables that its values are carried by: the environment of a worker is not the one there. */
function withValues(script: string, params: Readonly<Record<string, string>>): string {
  const carried = Object.entries(params).flatMap(([name, value]) => {
    const variable = carrierVariable(name);
    return script.includes(`\${${variable}}`) ? [`export ${variable}=${quote(value)}; `] : [];
  });
  return carried.join('') + script;
}

/** Signs in and returns a description of the remote host. */
export const probeSsh: Probe = async (context, given) => {
  const settings = given as unknown as SshSettings;
  const code = await runThere(context, settings, 'command -v setsid > /dev/null && uname -sr', '/bin/sh');
  if (code === NOT_CONNECTED) throw new TaskFailure(exitText(code));
  if (code !== 0) throw new TaskFailure('the host has no program "setsid", which ssh tasks need');
  return settings.host;
};

function runThere(
  { workDir, exec }: Pick<TaskContext<unknown>, 'workDir' | 'exec'>,
  { host, port, user, key, hostKey }: SshSettings,
  script: string,
  shell: string,
): Promise<number> {
  const file = (name: string, text: string) => {
    const path = join(workDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  // The client knows this host only by this name, whatever hosts the worker's user trusts.
  const known = hostKey.split('\n').flatMap((line) => (line.trim() === '' ? [] : [`target ${line.trim()}`]));
  const options = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityFile: file('key', key.endsWith('\n') ? key : `${key}\n`),
    UserKnownHostsFile: file('known_hosts', `${known.join('\n')}\n`),
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: 'target',
    StrictHostKeyChecking: 'yes',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '15',
    ServerAliveInterval: '10',
    ServerAliveCountMax: '3',
    LogLevel: 'ERROR',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const command = remoteProgram(Buffer.byteLength(script), shell);
  const login = ['-F', 'none', '-T', ...flags, '-p', String(port), '-l', user, '--', host, command];
  const places = [join(workDir, 'input'), file('script', script)];
  return exec('/bin/sh', ['-c', LOCAL, 'sh', ...places, ...login]);
}
