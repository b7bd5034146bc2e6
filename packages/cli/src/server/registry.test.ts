/**
 * Masters as real processes that share schedules by a plan: the registry is PostgreSQL, which one of them reaches through
 * a proxy. The leader is killed, a master is frozen, and the way to the registry is cut.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answered, TestCluster } from './node-process.ts';

interface Shown {
  readonly leader: string | null;
  readonly plan: { readonly number: number; readonly reason: string; readonly masters: readonly string[] };
  readonly registry: { readonly server: string; readonly sessionTimeout: number } | null;
  readonly masters: readonly { readonly id: string; readonly state: string; readonly share: number }[];
  readonly problems: readonly string[];
}

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let proxy: TcpProxy;

beforeEach(async () => {
  database = await testDatabase();
  proxy = await TcpProxy.to(Number(new URL(database.url).port));
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await proxy.close();
  await database.drop();
});

/** The cluster, once it is as wanted. */
async function shows(wanted: (shown: Shown) => boolean): Promise<Shown> {
  for (;;) {
    const shown = await answered(() => cluster.call('/cluster') as Promise<Shown>);
    if (wanted(shown)) return shown;
    await sleep(100);
  }
}

const heldBy =
  (...names: string[]) =>
  ({ plan, problems }: Shown) =>
    plan?.masters.join() === names.join() && problems.length === 0;

/** Due times of all ticks of a schedule, oldest first. */
async function ticksOf(id: number): Promise<number[]> {
  const { ticks } = (await cluster.call(`/schedules/${id}/ticks?limit=1000`)) as {
    ticks: { due: string; run: number | null }[];
  };
  return ticks.map(({ due }) => Date.parse(due)).toReversed();
}

it('share schedules by a plan, which follows who lives; no tick is lost or doubled', {
  timeout: 240_000,
}, async () => {
  const through = new URL(database.url);
  through.port = proxy.address.split(':')[1];
  const m1 = await cluster.master('m1');
  const m2 = await cluster.master('m2');
  await cluster.master('m3', '--registry', through.href);
  await cluster.api();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await cluster.publish(
      `name: ${name}\nschedules: [{name: s, every: 1s, misfire: {policy: fire-all}}]\ntasks: [{name: x, type: shell, with: {script: 'true'}}]`,
    );
  const { schedules } = (await cluster.call('/schedules')) as { schedules: { id: number }[] };
  const first = await shows(heldBy('m1', 'm2', 'm3'));
  expect(first).toMatchObject({ leader: 'm1', registry: { sessionTimeout: 3_000 } });
  expect(first.registry?.server).toMatch(/^postgres /);

  // The leader dies: the next one divides what is left.
  await m1.end('SIGKILL');
  expect(await shows(heldBy('m2', 'm3'))).toMatchObject({ leader: 'm2' });

  // One loses the registry alone: it pauses, is fenced, and joins again when the registry is back.
  proxy.freeze();
  await shows(({ plan }) => plan.masters.join() === 'm2');
  proxy.cut();
  proxy.thaw();
  await shows(heldBy('m2', 'm3'));

  // One is frozen longer than its session lasts.
  m2.freeze(true);
  expect(await shows(({ plan }) => plan.masters.join() === 'm3')).toMatchObject({ leader: 'm3' });
  m2.freeze(false);
  await shows(heldBy('m2', 'm3'));
  expect(m2.hasEnded).toBe(false);

  for (const { id } of schedules) {
    const ticks = await ticksOf(id);
    const gaps = ticks.slice(1).map((due, k) => due - ticks[k]);
    expect(new Set(gaps)).toEqual(new Set([1_000]));
  }
  const holder = (await cluster.call(`/schedules/${schedules[0].id}/holder`)) as Record<string, unknown>;
  expect(holder).toMatchObject({
    mode: 'scope',
    why: expect.stringMatching(/^plan \d+ of m\d gives it to m\d: /),
  });
});
