import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlanRow, type Self, StaleEpoch, type Store } from '../../index.ts';
import { joinMaster, NOW, publish, scheduleOf } from '../../testing.ts';

describe.each(testDatabases())('plans on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const planOf = (number: number): Omit<PlanRow, 'adoptedAt'> => ({
    number,
    mode: 'scope',
    strategy: 'range',
    hash: `h${number}`,
    leader: 'm1',
    reason: 'm1 was elected',
    body: '{}',
    schedules: 5,
    moved: 5,
    writtenAt: NOW + number,
  });

  it('find the ids at ranks and count up to cuts, of enabled schedules alone', async () => {
    const names = Array.from({ length: 9 }, (_, k) => `s${k}`);
    await publish(store, 'flow', [...names.map((name) => scheduleOf(name)), scheduleOf('off', false)]);
    const all = await store.listSchedules({});
    const ids = all.filter(({ enabled }) => enabled).map(({ id }) => id);
    expect(await store.countEnabled()).toBe(9);
    expect(await store.idsAtRanks({ ranks: [] })).toEqual([]);
    expect(await store.idsAtRanks({ ranks: [3, 6, 9] })).toEqual([ids[2], ids[5], ids[8]]);
    expect(await store.idsAtRanks({ ranks: [9, 10] })).toEqual([ids[8]]);
    expect(await store.countUpTo({ cuts: [] })).toEqual([]);
    expect(await store.countUpTo({ cuts: [ids[0] - 1, ids[2], ids[8] + 1_000_000_000] })).toEqual([0, 3, 9]);
    expect(await store.enabledIds({ after: ids[2], limit: 3 })).toEqual(ids.slice(3, 6));
  });

  it('are recorded once, end once, and are listed from the newest', async () => {
    await store.recordPlan({ self, plan: planOf(1) });
    await store.recordPlan({ self, plan: { ...planOf(1), reason: 'told again' } });
    await store.recordPlan({ self, plan: planOf(2) });
    await store.endReshard({ self, number: 1, now: NOW + 50 });
    await store.endReshard({ self, number: 1, now: NOW + 90 });
    expect(await store.listPlans({ limit: 10 })).toEqual([
      { ...planOf(2), adoptedAt: null },
      { ...planOf(1), adoptedAt: NOW + 50 },
    ]);
    expect(await store.listPlans({ before: 2, limit: 10 })).toHaveLength(1);
    await store.recordPlan({ self, plan: planOf(502) });
    expect((await store.listPlans({ limit: 10 })).map(({ number }) => number)).toEqual([502]);
  });

  it('are refused from a leader whose epoch is over', async () => {
    await joinMaster(store);
    await expect(store.recordPlan({ self, plan: planOf(1) })).rejects.toThrow(StaleEpoch);
    await expect(store.endReshard({ self, number: 1, now: NOW })).rejects.toThrow(StaleEpoch);
  });

  it('are reported with a beat, and a database has an id that stays', async () => {
    await store.beat({ self, plan: { number: 7, hash: 'abc' }, now: NOW });
    expect(await store.listNodes()).toMatchObject([{ plan: 7, planHash: 'abc', registry: null }]);
    expect(await store.readStoreId()).toMatch(/^[0-9a-f]{32}$/);
    expect(await store.readStoreId()).toBe(await store.readStoreId());
  });
});
