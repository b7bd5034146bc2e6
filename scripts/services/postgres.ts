/**
 * PostgreSQL, a cluster of its own beside any the system runs. Every local connection is trusted as the
 * superuser `postgres`: good for tests on loopback, for nothing else.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from './process.ts';
import { type Account, findCommand, isExecutable, type Service } from './service.ts';

const USER = 'postgres';
// The longest path of a Unix socket, less the name of the socket and the final zero.
const LONGEST_SOCKET_FOLDER = 107 - '/.s.PGSQL.65535'.length;
const FAST = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];

export const postgres: Service = {
  name: 'postgres',
  packages: ['postgresql'],
  portVariable: 'ORRERY_TEST_PG_PORT',
  stopSignal: 'SIGINT',

  /** Debian keeps the server off the search path; the newest version there wins. */
  find() {
    const debian = globSync('/usr/lib/postgresql/*/bin/postgres').filter(isExecutable);
    const version = (path: string) => Number(path.split('/')[4]);
    return debian.sort((a, b) => version(b) - version(a))[0] ?? findCommand('postgres');
  },

  url: (port) => `postgres://${USER}@127.0.0.1:${port}/postgres`,

  launch({ program, home, port, fast }) {
    const account = process.getuid?.() === 0 ? accountOf(USER) : undefined;
    const data = dataFolder(home, account);
    if (!existsSync(join(data, 'PG_VERSION'))) initialise(program, data, account);
    dropStaleLocks(data);
    const sockets = Buffer.byteLength(data) <= LONGEST_SOCKET_FOLDER ? data : '';
    return {
      command: program,
      args: [
        ...['-D', data, '-p', String(port)],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${sockets}`],
        ...['-c', 'max_connections=200'],
        ...(fast ? FAST : []),
      ],
      account,
    };
  },

  ready({ program, port }) {
    const psql = join(dirname(program), 'psql');
    const args = ['-X', '-A', '-t', '-c', 'select 40 + 2', postgres.url(port)];
    return new Promise((resolve) => {
      execFile(psql, args, { timeout: 5_000 }, (error, answer) => resolve(!error && answer.trim() === '42'));
    });
  },
};

/**
 * The data folder under `home`: a link to a folder in `/var/tmp` if the server's account cannot reach `home`,
 * as in a home directory that is closed to other users.
 */
function dataFolder(home: string, account: Account | undefined): string {
  const data = join(home, 'data');
  if (existsSync(data)) return realpathSync(data);
  rmSync(data, { force: true });
  mkdirSync(data, { mode: 0o700 });
  if (!account) return data;
  chownSync(data, account.uid, account.gid);
  if (spawnSync('test', ['-w', data], account).status === 0) return data;
  rmSync(data, { recursive: true });
  const elsewhere = mkdtempSync('/var/tmp/orrery-postgres-');
  chownSync(elsewhere, account.uid, account.gid);
  symlinkSync(elsewhere, data);
  return elsewhere;
}

/** Deletes the data folder of a stopped server if it lies outside of `home`. */
export function removeOutside(home: string): void {
  const data = join(home, 'data');
  if (!lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(realpathSync(data), { recursive: true, force: true });
  rmSync(data);
}

function initialise(program: string, data: string, account: Account | undefined): void {
  const initdb = join(dirname(program), 'initdb');
  const args = ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  execFileSync(initdb, args, { cwd: data, stdio: 'pipe', ...account });
}

/** After a crash the server takes its old process, dead but not yet reaped by its parent, for a live one. */
function dropStaleLocks(data: string): void {
  for (const file of readdirSync(data)) {
    if (file !== 'postmaster.pid' && !/^\.s\.PGSQL\.\d+\.lock$/.test(file)) continue;
    const pid = Number(readFileSync(join(data, file), 'utf8').split('\n', 1)[0]);
    if (commandLine(pid) === '') rmSync(join(data, file));
  }
}

function accountOf(user: string): Account {
  const number = (flag: string) => spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim();
  const [uid, gid] = [number('-u'), number('-g')];
  if (!uid) throw new Error(`PostgreSQL does not run as root, and there is no user ${user} to run it as`);
  return { uid: Number(uid), gid: Number(gid) };
}
