import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@orrery/contract';
import { openPostgres, type Store } from '@orrery/store';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { answered, TestCluster } from './node-process.ts';

const EVERY = 2_000;
const SCHEDULES = 12;
const ALARM_ABOVE = 5;
const names = Array.from({ length: SCHEDULES }, (_, k) => `s${k}`);
const flow = `
name: often
schedules:
${names.map((name) => `  - { name: ${name}, every: 2s, misfire: fire-all }`).join('\n')}
tasks: [{ name: nothing, type: noop }]
`;

type Shown = Answer<'showOwnership'>;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;
let store: Store;
beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
  store = await openPostgres({ url: database.url });
});
afterEach(async () => {
  await cluster.stop();
  await store.close();
  await database.drop();
});

/** What masters hold, once all is held by so many of them; each holds at most its limit, and together everything. */
async function held(by: number): Promise<Record<string, number>> {
  for (;;) {
    const shown = (await answered(() => cluster.call('/ownership'))) as Shown;
    const holders = shown.masters.filter(({ held }) => held > 0);
    if (shown.free === 0 && holders.length === by) {
      expect(holders.reduce((sum, master) => sum + master.held, 0)).toBe(SCHEDULES);
      for (const { held, limit } of holders) expect(held).toBeLessThanOrEqual(limit);
      return Object.fromEntries(holders.map(({ id, held }) => [id, held]));
    }
    await sleep(100);
  }
}

/** The masters that raised an alarm, in order of their names. */
async function alarms(): Promise<string[]> {
  const raised = (await store.listAlerts({ after: 0, limit: 1_000 })).filter(
    ({ kind }) => kind === 'claim-alarm',
  );
  return [...new Set(raised.map(({ name }) => name))].sort();
}

it('masters claim what another left, hold it within their limits, and lose no tick', {
  timeout: 240_000,
}, async () => {
  const masters = [await cluster.master('m1'), await cluster.master('m2'), await cluster.master('m3')];
  await cluster.api();
  const url = await cluster.url();
  const run = async (...args: string[]) => {
    const { code, out, err } = await orrery([...args, '--url', url]);
    expect(`${code} ${err}`).toMatch(/^0/);
    return out;
  };
  await cluster.publish(flow);
  await run('ownership', 'set', '--mode', 'claim', '--alarm-above', String(ALARM_ABOVE));
  const three = await held(3);
  const above = (counts: Record<string, number>) =>
    Object.keys(counts).filter((name) => counts[name] > ALARM_ABOVE);
  expect(await alarms()).toEqual(above(three));
  const rows = (await run('ownership', 'schedules', '--holder', 'm3')).trim().split('\n');
  expect(rows).toHaveLength(1 + three.m3);

  await masters[2].end('SIGKILL');
  const two = await held(2);
  expect(await alarms()).toEqual([...new Set([...above(three), ...above(two)])].sort());

  await run('nodes', 'drain', 'm2', '--timeout', '0s');
  expect(await held(1)).toEqual({ m1: SCHEDULES });
  expect(await run('ownership')).toMatch(/m1 +working +12 +13 +5 \(exceeded\)/);
  expect(await alarms()).toContain('m1');
  await run('nodes', 'undrain', 'm2');

  // Back to the other mode: nobody holds anything in the store, and everything fires on.
  await run('ownership', 'set', '--mode', 'scope');
  const fired = async () => {
    const schedules = await store.listSchedules({});
    return Promise.all(schedules.map(({ id }) => store.listTicks({ schedule: id, limit: 1_000 })));
  };
  const switched = Date.now();
  while (!(await fired()).every(([last]) => last?.due > switched + EVERY)) await sleep(200);
  for (const ticks of await fired()) {
    const dues = ticks.map(({ due }) => due).reverse();
    expect(dues).toEqual(dues.map((_, k) => dues[0] + k * EVERY));
    expect(ticks.every(({ run }) => run !== null)).toBe(true);
  }
});
