/** Whatever the umask, no other user can read or write anything that a server leaves on the disk. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { ServerProcess } from './server-process.ts';

/** Lists the data folder while a task runs, once the worker has recorded the group of its processes. */
const workflow = (data: string) => `
name: snoop
tasks:
  - name: list
    type: shell
    with:
      script: |
        until ls ${data}/worker/groups/* 2> /dev/null; do sleep 0.05; done
        find ${data} -printf 'mode %m %P\\n'
`;

let folder: string;
let server: ServerProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-closed-'));
});
afterEach(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

it.each(['000', '077'])('with umask %s', { timeout: 120_000 }, async (mask) => {
  const data = join(folder, 'data');
  const umask = process.umask(mask);
  try {
    server = await ServerProcess.start(data);
  } finally {
    process.umask(umask);
  }
  expect((await server.post('/workflows', workflow(data), 'application/yaml')).status).toBe(200);
  const { out } = await orrery(['run', 'snoop', '--wait', '--json', '--url', server.url]);
  const { id, state } = JSON.parse(out);
  expect(state).toBe('success');
  const log = (await orrery(['logs', `${id}.list`, '--url', server.url])).out;
  for (const part of [
    'orrery.db',
    'orrery.db-wal',
    'orrery.db-shm',
    'worker/spool',
    'worker/groups/',
    'logs/snoop',
  ])
    expect(log).toContain(` ${part}`);
  const listed = log.split('\n').filter((line) => line.startsWith('mode '));
  expect(listed.filter((line) => !/^mode [67]00 /.test(line))).toEqual([]);
  await server.end('SIGTERM');
  const left = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))];
  expect(left.filter((path) => (lstatSync(path).mode & 0o077) !== 0)).toEqual([]);
});
