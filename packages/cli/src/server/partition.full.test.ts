/** A network that is cut between two of its namespaces: packets vanish, and nobody is told. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestCluster } from './node-process.ts';

/** Names of interfaces have 15 letters at most, and a machine may run several of these tests. */
const name = `orr${process.pid % 100_000}`;
const [near, far] = [`${name}a`, `${name}b`];
const subnet = `10.213.${process.pid % 256}`;
const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'a-token-that-is-long-enough');
  ip('netns', 'add', name);
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name);
  ip('addr', 'add', `${subnet}.1/24`, 'dev', near);
  ip('link', 'set', near, 'up');
  ip('-n', name, 'addr', 'add', `${subnet}.2/24`, 'dev', far);
  for (const device of [far, 'lo']) ip('-n', name, 'link', 'set', device, 'up');
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
  ip('netns', 'del', name);
});

it('a worker behind a cut network ends its attempt before another begins, and comes back', {
  timeout: 300_000,
}, async () => {
  const lines = join(cluster.folder, 'lines');
  const go = join(cluster.folder, 'go');
  const said = () => (existsSync(lines) ? readFileSync(lines, 'utf8').trim().split('\n') : []);
  const port = await cluster.portOf('m1');
  const join1 = `${subnet}.1:${port}`;
  const place = ['--name', 'm1', '--database', database.url, '--listen', join1];
  await cluster.start('--role', 'master', ...place, '--lease', '5s');
  await cluster.api();
  const worker = ['--role', 'worker', '--join', join1];
  cluster.before = ['ip', 'netns', 'exec', name];
  const first = await cluster.start(...worker, '--name', 'w1');
  cluster.before = [];
  await cluster.publish(`
name: w
tasks:
  - name: a
    type: shell
    with: { script: 'while [ ! -e ${go} ]; do echo $ORRERY_ATTEMPT >> ${lines}; sleep 0.1; done' }
`);
  const run = await cluster.run('w');
  while (said().length === 0) await sleep(50);
  await cluster.start(...worker, '--name', 'w2');
  ip('link', 'set', near, 'down');
  const begun = new Set(said());
  while (new Set(said()).size === begun.size) await sleep(50);
  // From then on the first attempt is not heard of again.
  const later = said();
  while (said().length < later.length + 20) await sleep(50);
  const [attempt] = begun;
  expect(said().slice(later.length)).not.toContain(attempt);
  ip('link', 'set', near, 'up');
  while ((first.printed.match(/serving/g) ?? []).length < 2) await sleep(100);
  appendFileSync(go, '');
  expect(await cluster.endOf(run)).toBe('success');
  expect(new Set(said()).size).toBe(2);
});
