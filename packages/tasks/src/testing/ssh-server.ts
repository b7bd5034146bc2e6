/** A real SSH server on a loopback port, for tests: signs the present user in by one key. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/** Starts one that ends with the test; the settings of a connection to it. */
export async function startSshServer(folder: string) {
  const key = (name: string) => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    return readFileSync(join(folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  };
  const hostKey = key('host');
  writeFileSync(join(folder, 'authorized'), key('user'), { mode: 0o600 });
  const other = key('other');
  const port = await freePort();
  const config = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: join(folder, 'host'),
    AuthorizedKeysFile: join(folder, 'authorized'),
    PidFile: 'none',
    StrictModes: 'no',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    UsePAM: 'no',
    PermitRootLogin: 'prohibit-password',
  };
  const lines = Object.entries(config).map(([name, value]) => `${name} ${value}`);
  writeFileSync(join(folder, 'sshd_config'), `${lines.join('\n')}\n`);
  // Where it gives up its rights, if it has any.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  // It wants to be called by its whole path.
  const path = execFileSync('sh', ['-c', 'command -v sshd'], { encoding: 'utf8' });
  const server = spawn(path.trim(), ['-D', '-e', '-f', join(folder, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += chunk;
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.once('exit', () => resolve());
        server.kill('SIGKILL');
      }),
  );
  await eventually('the SSH server listens', () => said.includes('Server listening'));
  const settings = {
    host: '127.0.0.1',
    port,
    user: userInfo().username,
    key: readFileSync(join(folder, 'user'), 'utf8'),
    hostKey,
  };
  return { settings, otherKey: readFileSync(join(folder, 'other'), 'utf8'), otherHostKey: other };
}
