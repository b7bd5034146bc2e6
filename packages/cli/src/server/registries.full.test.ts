/**
 * Masters as real processes on ZooKeeper and etcd, which are stopped and started again: each master does what its
 * `--on-registry-loss` says, and no tick is lost or doubled.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@orrery/contract';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { etcd } from '../../../../scripts/services/etcd.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { OwnServer } from '../../../registry/src/testing/servers.ts';
import { answered, TestCluster } from './node-process.ts';

const flow = `
name: often
schedules:
  - { name: a, every: 1s, misfire: fire-all }
  - { name: b, every: 1s, misfire: fire-all }
  - { name: c, every: 1s, misfire: fire-all }
tasks: [{ name: nothing, type: noop }]
`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let server: OwnServer | undefined;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await server?.remove();
  await database.drop();
});

async function shows(wanted: (shown: Answer<'showCluster'>) => boolean): Promise<Answer<'showCluster'>> {
  for (;;) {
    const shown = (await answered(() => cluster.call('/cluster'))) as Answer<'showCluster'>;
    if (wanted(shown)) return shown;
    await sleep(100);
  }
}

const isPlannedFor =
  (...names: string[]) =>
  ({ plan, problems }: Answer<'showCluster'>) =>
    plan?.masters.join() === names.join() && problems.length === 0;

/** Due times of all ticks of each schedule, oldest first. */
async function ticks(): Promise<number[][]> {
  const { schedules } = (await cluster.call('/schedules')) as { schedules: { id: number }[] };
  return Promise.all(
    schedules.map(async ({ id }) => {
      const page = await cluster.call(`/schedules/${id}/ticks?limit=1000`);
      return (page as { ticks: { due: string }[] }).ticks.map(({ due }) => Date.parse(due)).toReversed();
    }),
  );
}

/** Settles when every schedule has fired a tick that was due after this time. */
async function fireAfter(time: number): Promise<void> {
  while (!(await ticks()).every((dues) => (dues.at(-1) ?? 0) > time)) await sleep(200);
}

describe.each([{ service: zookeeper }, { service: etcd }])('masters on $service.name', ({ service }) => {
  it('pause, go on or end without it, as each was told, and share schedules again when it is back', {
    timeout: 300_000,
  }, async () => {
    server = new OwnServer(service);
    const url = `${service.name}://127.0.0.1:${await server.start()}/orrery`;
    const start = (name: string, onLoss: string) =>
      cluster.master(name, '--registry', url, '--on-registry-loss', onLoss);
    await start('m1', 'pause');
    await start('m2', 'continue');
    const m3 = await start('m3', 'exit');
    await cluster.api();
    await cluster.publish(flow);
    const first = await shows(isPlannedFor('m1', 'm2', 'm3'));
    expect(first.registry?.server).toMatch(new RegExp(`^${service.name} 127`));

    await server.stop();
    expect(await m3.ended()).toBe(1);
    expect(m3.printed).toMatch(/stopping: .*registry/);
    const lost = await shows(({ masters }) =>
      masters.some(({ id, state }) => id === 'm1' && state === 'paused'),
    );
    expect(lost.masters.find(({ id }) => id === 'm2')?.state).toBe('alive');
    await fireAfter(Date.now());

    await server.start();
    await shows(isPlannedFor('m1', 'm2'));
    await fireAfter(Date.now());
    for (const dues of await ticks()) expect(dues).toEqual(dues.map((_, k) => dues[0] + 1_000 * k));
  });
});
