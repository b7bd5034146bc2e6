/**
 * A master that loses its store, its registry or both, as real processes with cut connections: what it does itself, what
 * its worker hears, and what the other master does. The registry is etcd, so that each can be cut alone.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@orrery/contract';
import { testDatabase } from '@orrery/testkit/databases';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readServices } from '../../../../scripts/services.ts';
import { answered, type NodeProcess, TestCluster } from './node-process.ts';

const long = { timeout: 600_000 };

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let store: TcpProxy;
let registry: TcpProxy;
let well: NodeProcess;
let cutOff: NodeProcess;
let worker: NodeProcess;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  const url = new URL(database.url);
  const etcd = new URL(readServices().etcd?.url ?? '');
  store = await TcpProxy.to(Number(url.port));
  registry = await TcpProxy.to(Number(etcd.port));
  url.host = store.address;
  const tree = `${url.pathname}-${Date.now()}`;
  well = await cluster.master('well', '--registry', `etcd://${etcd.host}${tree}`);
  const listen = `127.0.0.1:${await cluster.portOf('cut')}`;
  const place = [
    '--database',
    url.href,
    '--listen',
    listen,
    '--registry',
    `etcd://${registry.address}${tree}`,
  ];
  cutOff = await cluster.start('--role', 'master', '--name', 'cut', ...place);
  worker = await cluster.worker('w1', 'cut');
  await cluster.api();
  await cluster.publish(
    'name: often\nschedules: [{ name: s, every: 1s, misfire: fire-all }]\ntasks: [{ name: x, type: noop }]',
  );
  await shows(({ plan }) => plan?.masters.join() === 'cut,well');
}, 300_000);
afterEach(async () => {
  for (const proxy of [store, registry]) proxy.thaw();
  await cluster.stop();
  await Promise.all([store.close(), registry.close()]);
  await database.drop();
});

async function shows(wanted: (shown: Answer<'showCluster'>) => boolean): Promise<Answer<'showCluster'>> {
  for (;;) {
    const shown = (await answered(() => cluster.call('/cluster'))) as Answer<'showCluster'>;
    if (wanted(shown)) return shown;
    await sleep(100);
  }
}

/** A task on the worker that ends when a file is there; settles when it has begun. */
async function begin(file: string): Promise<number> {
  await cluster.publish(
    `name: held\ntasks: [{ name: wait, type: shell, with: { script: 'echo begun; while [ ! -e ${file} ]; do sleep 0.1; done' } }]`,
  );
  const run = await cluster.run('held');
  await cluster.log(`${run}.wait.1`, ({ text }) => text.includes('begun'));
  return run;
}

/** The task went on all the time: its first attempt is its only one. */
async function endsInFirstAttempt(run: number, file: string): Promise<void> {
  writeFileSync(file, '');
  expect(await answered(() => cluster.endOf(run))).toBe('success');
  await expect(cluster.call(`/attempts/${run}.wait.2/log`)).rejects.toThrow('there is no attempt');
}

/** Every tick fired once, whoever fired it. */
async function lostNoTick(): Promise<void> {
  const { schedules } = (await cluster.call('/schedules?workflow=often')) as { schedules: { id: number }[] };
  const read = async () => {
    const page = await cluster.call(`/schedules/${schedules[0].id}/ticks?limit=1000`);
    return (page as { ticks: { due: string }[] }).ticks.map(({ due }) => Date.parse(due)).toReversed();
  };
  const now = Date.now();
  while (((await read()).at(-1) ?? 0) <= now) await sleep(200);
  const dues = await read();
  expect(dues).toEqual(dues.map((_, k) => dues[0] + 1_000 * k));
}

it('with both good it acts, and serves its worker', long, async () => {
  const run = await begin(`${cluster.folder}/go`);
  await endsInFirstAttempt(run, `${cluster.folder}/go`);
  const { masters } = await shows(({ problems }) => problems.length === 0);
  expect(masters.map(({ id, state }) => `${id} ${state}`)).toEqual(['cut alive', 'well alive']);
  await lostNoTick();
});

it(
  'without the registry it pauses, is fenced, and joins again; its worker keeps its task',
  long,
  async () => {
    const run = await begin(`${cluster.folder}/go`);
    registry.freeze();
    await cutOff.says(/node cut is paused: the registry/);
    await well.says(/node cut epoch \d+ .* is fenced/);
    await shows(({ plan }) => plan?.masters.join() === 'well');
    registry.cut();
    registry.thaw();
    await cutOff.says(/master cut joins again/);
    await shows(({ plan, problems }) => plan?.masters.join() === 'cut,well' && problems.length === 0);
    await endsInFirstAttempt(run, `${cluster.folder}/go`);
    expect(worker.hasEnded).toBe(false);
    await lostNoTick();
  },
);

it('without the store it closes its session, and is fenced by the one that has the store', long, async () => {
  const run = await begin(`${cluster.folder}/go`);
  store.freeze();
  await cutOff.says(/cut closes its registry session: the store is away/);
  await well.says(/node cut epoch \d+ .* is fenced/);
  await shows(({ plan }) => plan?.masters.join() === 'well');
  store.cut();
  store.thaw();
  await shows(({ plan, problems }) => plan?.masters.join() === 'cut,well' && problems.length === 0);
  await endsInFirstAttempt(run, `${cluster.folder}/go`);
  await lostNoTick();
});

it('without both it pauses, and the other goes on', long, async () => {
  const run = await begin(`${cluster.folder}/go`);
  for (const proxy of [store, registry]) proxy.freeze();
  await cutOff.says(/node cut is paused/);
  await well.says(/node cut epoch \d+ .* is fenced/);
  for (const proxy of [store, registry]) {
    proxy.cut();
    proxy.thaw();
  }
  await shows(({ plan, problems }) => plan?.masters.join() === 'cut,well' && problems.length === 0);
  expect(cutOff.hasEnded).toBe(false);
  await endsInFirstAttempt(run, `${cluster.folder}/go`);
  await lostNoTick();
});
