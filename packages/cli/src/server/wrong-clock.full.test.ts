/** Real processes whose clock is wrong, by a library that shifts what the system tells them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findFaketime } from '../../../../scripts/services/tools.ts';
import { answered, TestCluster } from './node-process.ts';

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

interface Ticks {
  readonly ticks: readonly { due: string; firedAt?: string; skipped?: string }[];
}

for (const skew of [90, 1.5, -1.5, -90]) {
  it(`a master and an api that are ${skew} s off fire every tick in time, and none early`, {
    timeout: 300_000,
  }, async () => {
    cluster.environment = {
      LD_PRELOAD: findFaketime() ?? '',
      FAKETIME: `${skew > 0 ? '+' : ''}${skew}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    await cluster.master('wrong');
    await cluster.api();
    cluster.environment = {};
    await cluster.master('right');
    const from = Date.now();
    await cluster.publish('name: w\nschedules: [{ name: s, every: 1s }]\ntasks: [{ name: a, type: noop }]\n');
    const published = Date.now();
    const { schedules } = (await cluster.call('/schedules')) as { schedules: { id: number }[] };
    const read = () =>
      answered(() => cluster.call(`/schedules/${schedules[0].id}/ticks?limit=100`)) as Promise<Ticks>;
    let { ticks } = await read();
    while (ticks.length < 12) {
      await sleep(200);
      ({ ticks } = await read());
      // Nothing is recorded for a time that has not come.
      expect(ticks.filter(({ due }) => Date.parse(due) > Date.now() + 50)).toEqual([]);
    }
    expect(ticks.filter(({ skipped }) => skipped !== undefined)).toEqual([]);
    const dues = ticks.map(({ due }) => Date.parse(due)).toSorted((a, b) => a - b);
    expect(dues).toEqual(dues.map((_, k) => dues[0] + k * 1_000));
    expect(dues[0]).toBeGreaterThan(from);
    expect(dues[0]).toBeLessThanOrEqual(published + 1_000);
    for (const { due, firedAt = '' } of ticks)
      expect(Date.parse(firedAt) - Date.parse(due)).toBeGreaterThanOrEqual(-50);
    // The processes really had the wrong time.
    const { masters } = (await cluster.call('/nodes')) as {
      masters: { id: string; clockOffset: number | null }[];
    };
    const offsets = Object.fromEntries(masters.map(({ id, clockOffset }) => [id, clockOffset]));
    expect(Math.abs((offsets.wrong ?? 0) + skew * 1_000)).toBeLessThan(1_000);
    expect(Math.abs(offsets.right ?? 0)).toBeLessThan(1_000);
  });
}
