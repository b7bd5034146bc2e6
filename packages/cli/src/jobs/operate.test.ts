/** `orrery jobs` against a server that knows the namespace of a running service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@orrery/testkit/databases';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { NodeProcess } from '../server/node-process.ts';
import { JobProcess } from './testing.ts';

const service = join(import.meta.dirname, '../../../../examples/jobs/service.ts');
const folder = mkdtempSync(join(tmpdir(), 'orrery-jobs-'));
let database: Awaited<ReturnType<typeof testDatabase>>;
let server: NodeProcess | undefined;
let one: JobProcess | undefined;
let url = '';

beforeAll(async () => {
  database = await testDatabase();
  one = new JobProcess(service, { REGISTRY: database.url });
  const nowhere = 'gone=postgres://127.0.0.1:1/none';
  const own = [
    '--role',
    'master,api',
    '--no-token',
    '--port',
    '0',
    '--listen',
    '127.0.0.1:0',
    '--data',
    folder,
  ];
  server = await NodeProcess.start(...own, '--jobs', `billing=${database.url}`, '--jobs', nowhere);
  url = /api at (\S+)/.exec(server.printed)?.[1] ?? '';
});
afterAll(async () => {
  await server?.end('SIGKILL');
  await one?.end('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const jobs = (...args: string[]) => orrery(['jobs', ...args, '--url', url]);

it('lists, shows, triggers, switches, configures and stops jobs of a running service', async () => {
  await one?.until('shard', 4);
  const list = await jobs('list');
  expect(list.out).toMatch(/billing\/settle +(ok|resharding) +\* \* \* \* \* \? +4/);
  expect(list.err).toContain('gone: the registry does not answer');
  const shown = await jobs('show', 'billing/settle');
  expect(shown.out).toContain('(leader)');
  expect(shown.out).toMatch(/divided .* moved: first division/);
  await expect
    .poll(async () => (await jobs('show', 'billing/settle')).out, { timeout: 60_000 })
    .toMatch(/ tick +\S+@-@\S+ +0-3 +4 succeeded, 0 failed/);
  expect((await jobs('shards', 'billing/settle')).out).toContain('guangzhou');
  expect((await jobs('trigger', 'billing/report', '--parameter', 'by hand')).out).toContain('asked');
  await expect.poll(() => one?.having('report').at(-1), { timeout: 60_000 }).toEqual({ report: 'by hand' });
  expect((await jobs('disable', 'billing/settle', '--shard', '2')).out).toBe(
    'shard 2 of billing/settle is disabled\n',
  );
  expect((await jobs('shards', 'billing/settle')).out).toMatch(/guangzhou +disabled/);
  expect((await jobs('config', 'billing/settle', '--set', 'misfire=false')).out).toContain('misfire: false');
  expect((await jobs('dump', 'billing/settle')).out).toContain('/billing/settle/config | {');
  expect((await jobs('delete', 'billing/settle')).err).toContain('stop them first');
  await jobs('stop', 'billing/report');
  await expect
    .poll(async () => (await jobs('delete', 'billing/report')).out, { timeout: 60_000 })
    .toBe('billing/report is deleted\n');
});

it('refuses what makes no sense in one line', async () => {
  expect(await jobs('show', 'settle')).toMatchObject({
    code: 2,
    err: expect.stringContaining('NAMESPACE/JOB'),
  });
  expect(await jobs('show', 'billing/nosuch')).toMatchObject({ code: 2 });
  const config = await jobs('config', 'billing/settle', '--set', 'shards=many');
  expect(config).toMatchObject({ code: 2, err: expect.stringContaining('shards') });
  const wrong = await orrery(['server', '--role', 'api', '--jobs', 'postgres://u:secret@h/db']);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--jobs: write NAMESPACE=URL') });
  expect(wrong.err).not.toContain('secret');
});
