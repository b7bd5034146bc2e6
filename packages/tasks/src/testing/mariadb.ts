/** A real MariaDB server on a loopback port, for tests: one database, one user with a password. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import mysql from 'mysql2/promise';
import { freePort } from './free-port.ts';

/** The password of the user; a word to look for where it must not be. */
export const PASSWORD = 'hush-hush';

/** Starts one; `stop` ends it. */
export async function startMariadb() {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  // It does not run as root.
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    process.getuid?.() === 0
      ? Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }))
      : Number(execFileSync('id', [flag], { encoding: 'utf8' })),
  );
  for (const path of [folder, data]) {
    chmodSync(path, 0o755);
    chownSync(path, uid, gid);
  }
  const account = { uid, gid };
  execFileSync(
    'mariadb-install-db',
    ['--no-defaults', `--datadir=${data}`, `--tmpdir=${data}`, '--auth-root-authentication-method=normal'],
    { ...account, stdio: 'pipe' },
  );
  const port = await freePort();
  const socket = join(folder, 's');
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--tmpdir=${data}`,
      `--socket=${socket}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--innodb-buffer-pool-size=32M',
      '--innodb-flush-method=fsync',
    ],
    { ...account, stdio: 'ignore' },
  );
  const stop = () =>
    new Promise<void>((resolve) => {
      server.once('exit', () => resolve());
      server.kill('SIGKILL');
    });
  const admin = await eventually('the server answers', async () => {
    try {
      return await mysql.createConnection({ socketPath: socket, user: 'root' });
    } catch {
      return undefined;
    }
  });
  await admin.query('CREATE DATABASE shop');
  await admin.query(`CREATE USER loader@'%' IDENTIFIED BY '${PASSWORD}'`);
  await admin.query("GRANT ALL ON shop.* TO loader@'%'");
  const settings = {
    host: '127.0.0.1',
    port,
    database: 'shop',
    user: 'loader',
    password: PASSWORD,
    tls: 'off',
  };
  return {
    admin,
    settings,
    async stop() {
      admin.destroy();
      await stop();
    },
  };
}
