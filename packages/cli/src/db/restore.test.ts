import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { NodeProcess, TestCluster } from '../server/node-process.ts';

/** What the log of the second task of a run shows. */
const logOf = async (run: number) =>
  (await cluster.log(`${run}.second.1`, ({ source }) => source === 'log')).text;

/** All logs that the worker has of a workflow. */
function writtenLogs(workflow: string): string[] {
  const folder = join(cluster.folder, 'w1', 'logs', workflow);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

const long = { timeout: 180_000 };

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
});

it(
  'a worker that lives through a restore ends what it had and goes on, and no run is wrong',
  long,
  async () => {
    const go = join(cluster.folder, 'go');
    const count = join(cluster.folder, 'count');
    const begun = () => (existsSync(count) ? readFileSync(count, 'utf8').split('\n').length - 1 : 0);
    const nodes = [await cluster.master('m1'), await cluster.api()];
    const worker = await cluster.worker('w1', 'm1');
    await cluster.publish(`
name: held
tasks:
  - name: wait
    type: shell
    with: { script: 'echo begun >> ${count}; while [ ! -e ${go} ]; do sleep 0.1; done' }
`);
    const word = join(cluster.folder, 'word');
    writeFileSync(word, 'hold');
    await cluster.publish(`
name: chain
tasks:
  - name: first
    type: shell
    with: { script: 'while grep -q hold ${word}; do sleep 0.1; done; echo first' }
  - name: second
    type: shell
    needs: [first]
    with: { script: 'echo it is $(cat ${word})' }
`);
    await cluster.publish('name: quick\ntasks: [{ name: a, type: shell, with: { script: "true" } }]');
    const held = await cluster.run('held');
    const chain = await cluster.run('chain');
    while (begun() < 1) await sleep(50);
    const file = join(cluster.folder, 'backup');
    const place = ['--database', database.url];
    expect(await orrery(['db', 'backup', file, ...place])).toMatchObject({
      code: 0,
      out: expect.stringContaining('written'),
    });
    const later = await cluster.run('quick');
    expect(await cluster.endOf(later)).toBe('success');
    // Undone by the restore, and done again under the same number.
    writeFileSync(word, 'before');
    expect(await cluster.endOf(chain)).toBe('success');
    expect(await logOf(chain)).toContain('it is before');

    for (const node of nodes) await node.end('SIGTERM');
    // The first task runs again after the restore: hold it until the word has changed.
    writeFileSync(word, 'hold');
    expect(await orrery(['db', 'restore', file, ...place])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--replace'),
    });
    expect((await orrery(['db', 'restore', file, '--replace', ...place])).code).toBe(0);
    await cluster.master('m1');
    await cluster.api();
    // The attempt of before is killed; the run has another.
    while (begun() < 2) await sleep(50);
    writeFileSync(word, 'after');
    expect(await cluster.endOf(chain)).toBe('success');
    expect(await logOf(chain)).toMatch(/it is after/);
    expect(await logOf(chain)).not.toMatch(/it is before/);
    expect(writtenLogs('chain').filter((text) => text.includes('it is before'))).toHaveLength(1);
    writeFileSync(go, '');
    expect(await cluster.endOf(held)).toBe('success');
    const next = await cluster.run('quick');
    expect(next).toBeGreaterThan(later);
    expect(await cluster.endOf(next)).toBe('success');
    expect(begun()).toBe(2);
    expect(worker.printed).toMatch(/refused/);
  },
);

it('a database without its log is refused, and a restore is the way out', long, async () => {
  const data = join(cluster.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const file = join(data, 'orrery.db');
  const args = [
    '--role',
    'master,api',
    '--name',
    'm1',
    '--listen',
    '127.0.0.1:0',
    '--data',
    data,
    '--join-token',
    'hush',
    '--no-token',
    '--port',
    '0',
  ];
  await (await NodeProcess.start(...args)).end('SIGTERM');
  copyFileSync(file, join(cluster.folder, 'copy.db'));
  await (await NodeProcess.start(...args)).end('SIGTERM');
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  copyFileSync(join(cluster.folder, 'copy.db'), file);
  const refused = new NodeProcess(args);
  expect(await refused.ended()).toBe(1);
  expect(refused.printed).toMatch(
    /older than its data folder.*generation 1, and was at 2.*orrery db restore/,
  );
  expect(refused.printed.match(/generation/g)?.length).toBe(1);
  const backup = join(cluster.folder, 'backup');
  expect((await orrery(['db', 'backup', backup, '--data', data])).code).toBe(0);
  expect((await orrery(['db', 'restore', backup, '--replace', '--data', data])).code).toBe(0);
  await (await NodeProcess.start(...args)).end('SIGTERM');
});
