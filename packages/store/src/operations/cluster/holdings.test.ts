import { ownershipSchema } from '@orrery/core/balance/schema';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Self, StaleEpoch, type Store } from '../../index.ts';
import { drain, joinMaster, NOW, publish, scheduleOf } from '../../testing.ts';

const many = (count: number) => Array.from({ length: count }, (_, k) => scheduleOf(`s${k}`));

describe.each(testDatabases())('holding schedules on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store, 'm1');
    await settings({ mode: 'claim' });
  });
  afterAll(close);

  const settings = (given: object) =>
    store.setOwnership({ settings: ownershipSchema.parse(given), by: 'me', now: NOW });
  const claim = (by = self, most = 1_000, upTo: 'share' | 'limit' = 'limit') =>
    store.claimSchedules({ self: by, upTo, most, now: NOW });
  const held = async () => {
    const { view, free } = await store.readHoldings();
    return { ...Object.fromEntries(view.masters.map((one) => [one.name, one.held])), free };
  };

  it('claims what is free, in order, up to the number asked for', async () => {
    await publish(store, 'flow', many(5));
    const ids = (await store.listSchedules({})).map(({ id }) => id);
    expect(await claim(self, 2)).toMatchObject({ claimed: ids.slice(0, 2), held: 2, limit: 6, free: 3 });
    expect((await claim()).claimed.toSorted()).toEqual(ids.slice(2));
    expect(await claim()).toMatchObject({ claimed: [], held: 5, free: 0, refused: undefined });
    const listed = await store.listHoldings({ holder: 'm1', limit: 3 });
    expect(listed.map(({ schedule }) => schedule)).toEqual(ids.slice(0, 3));
    expect(listed[0]).toEqual({
      schedule: ids[0],
      project: 'default',
      workflow: 'flow',
      name: 's0',
      holder: 'm1',
      since: NOW,
    });
    expect(await store.readHeld({ holder: 'm1', after: ids[1], limit: 2 })).toEqual(ids.slice(2, 4));
    expect(await store.listHoldings({ after: ids[3], limit: 9 })).toHaveLength(1);
  });

  it('refuses at its limit, and takes its even share first', async () => {
    await publish(store, 'flow', many(9));
    const other = await joinMaster(store, 'm2');
    await joinMaster(store, 'm3');
    expect((await claim(self, 99, 'share')).claimed).toHaveLength(3);
    expect((await claim(self, 99, 'share')).claimed).toHaveLength(0);
    expect((await claim(self, 99, 'limit')).held).toBe(5);
    expect(await claim()).toMatchObject({ claimed: [], refused: 'm1 holds 5 of at most 5', free: 4 });
    expect((await claim(other)).claimed).toHaveLength(4);
    expect(await held()).toEqual({ m1: 5, m2: 4, m3: 0, free: 0 });
  });

  it('has a row for every enabled schedule, and its holder keeps it through edits', async () => {
    await publish(store, 'flow', [scheduleOf('a'), scheduleOf('b', false)]);
    expect(await held()).toEqual({ m1: 0, free: 1 });
    await claim();
    const [a, b] = await store.listSchedules({});
    await publish(store, 'flow', [{ ...scheduleOf('a'), every: 2_000 }, scheduleOf('b', false)]);
    expect(await held()).toEqual({ m1: 1, free: 0 });
    await store.setSchedule({ id: b.id, enabled: true, nextDue: NOW, now: NOW });
    expect((await store.beat({ self, now: NOW })).free).toBe(true);
    expect((await claim()).claimed).toEqual([b.id]);
    expect((await store.beat({ self, now: NOW })).free).toBe(false);
    await store.setSchedule({ id: a.id, enabled: false, nextDue: null, now: NOW });
    expect(await held()).toEqual({ m1: 1, free: 0 });
    await publish(store, 'flow', []);
    expect(await held()).toEqual({ m1: 0, free: 0 });
  });

  it('frees what a master held in the transaction that fences it, or in which it leaves, drains or joins again', async () => {
    await publish(store, 'flow', many(4));
    const dead = await joinMaster(store, 'dead');
    await claim(dead);
    expect(await held()).toEqual({ m1: 0, dead: 4, free: 0 });
    await store.fence({ self, peer: { id: 'dead', epoch: dead.epoch, beat: 0 }, now: NOW });
    expect(await held()).toEqual({ m1: 0, free: 4 });
    await expect(claim(dead)).rejects.toThrow(StaleEpoch);
    const about = await store.listHistory({ of: { kind: 'node', subject: 'dead' }, limit: 1 });
    expect(JSON.parse(about[0].body)).toMatchObject({ schedules: 4 });

    const leaving = await joinMaster(store, 'leaving');
    await claim(leaving);
    await store.leaveNode({ self: leaving, now: NOW });
    expect(await held()).toEqual({ m1: 0, free: 4 });

    const drained = await joinMaster(store, 'drained');
    await claim(drained);
    expect((await drain(store, 'drained')).refused).toBeUndefined();
    expect(await held()).toEqual({ m1: 0, drained: 0, free: 4 });
    expect(await claim(drained)).toMatchObject({ claimed: [], refused: 'drained is offline' });
    await drain(store, 'drained', false);
    expect((await claim(drained)).claimed).toHaveLength(4);

    const again = await joinMaster(store, 'drained');
    expect(await held()).toEqual({ m1: 0, drained: 0, free: 4 });
    await expect(claim(drained)).rejects.toThrow(StaleEpoch);
    expect((await claim(again)).claimed).toHaveLength(4);
  });

  it('raises an alert for a claim that ends above the threshold, and for no other', async () => {
    await settings({ mode: 'claim', masters: { m1: { alarmAbove: 3 } } });
    await publish(store, 'flow', many(5));
    await claim(self, 3);
    expect(await store.listAlerts({ after: 0, limit: 9 })).toEqual([]);
    await claim(self, 1);
    await claim(self, 1);
    await claim(self, 1);
    const alerts = await store.listAlerts({ after: 0, limit: 9 });
    expect(alerts.map(({ kind, name, text }) => ({ kind, name, text }))).toEqual(
      [4, 5].map((count) => {
        const text = `m1 holds ${count}, the alarm is above 3: add a master, or raise its threshold`;
        return { kind: 'claim-alarm', name: 'm1', text };
      }),
    );
    expect(await store.listOpenAlerts({ since: 0, limit: 9 })).toEqual([]);
  });

  it('sheds what is above the limit, between ticks, those due last first, and then nothing more', async () => {
    await publish(store, 'flow', many(20));
    await claim();
    const schedules = await store.listSchedules({});
    const due = schedules[0];
    await store.setSchedule({ id: due.id, enabled: true, nextDue: NOW, now: NOW });
    await store.setSchedule({ id: schedules[7].id, enabled: true, nextDue: NOW + 9_000, now: NOW });
    const shed = (by = self, most = 100) => store.shedSchedules({ self: by, most, now: NOW });
    expect(await shed()).toEqual({ shed: [] });
    const others = [await joinMaster(store, 'm2'), await joinMaster(store, 'm3')];
    expect(await shed(self, 1)).toEqual({ shed: [schedules[7].id] });
    expect(await shed()).toEqual({ shed: [] });
    expect((await claim(others[0])).claimed).toHaveLength(1);
    const { shed: rest } = await shed();
    expect(rest).toHaveLength(8);
    expect(rest).not.toContain(due.id);
    expect(await claim()).toMatchObject({ claimed: [], refused: 'm1 holds 11 of at most 11' });
    await claim(others[1]);
    expect(await held()).toEqual({ m1: 11, m2: 1, m3: 8, free: 0 });
    for (const by of [self, ...others]) expect(await shed(by)).toEqual({ shed: [] });
  });

  it('holds nothing while ownership is by scope, and begins with nothing after a switch', async () => {
    await publish(store, 'flow', many(3));
    await claim();
    const { revision } = await settings({});
    expect(await held()).toEqual({ m1: 0, free: 3 });
    expect(await claim()).toMatchObject({
      claimed: [],
      refused: 'masters claim nothing: ownership is by scope',
    });
    expect(await store.shedSchedules({ self, most: 9, now: NOW })).toEqual({ shed: [] });
    const again = { settings: ownershipSchema.parse({ mode: 'claim' }), by: 'me', now: NOW };
    await expect(store.setOwnership({ ...again, revision: revision - 1 })).rejects.toThrow('someone else');
    await store.setOwnership({ ...again, revision });
    expect(await store.readHoldings()).toMatchObject({ settings: again.settings, revision: revision + 1 });
    expect(JSON.parse((await store.beat({ self, now: NOW })).ownership ?? '')).toEqual(again.settings);
    expect((await claim()).claimed).toHaveLength(3);
    const [last] = await store.listAudit({ limit: 1 });
    expect(last).toMatchObject({
      actor: 'me',
      action: 'ownership.set',
      detail: { after: { mode: 'claim' } },
    });
  });

  it('counts as offline who drains or is paused, and refuses drains one after the other where tolerances differ', async () => {
    await settings({ mode: 'claim', masters: { m1: { tolerance: 2 } } });
    await publish(store, 'flow', many(6));
    const other = await joinMaster(store, 'm2');
    const third = await joinMaster(store, 'm3');
    await store.beat({ self: third, state: 'paused', now: NOW });
    expect((await store.readHoldings()).view.masters.map(({ offline }) => offline)).toEqual([
      false,
      false,
      true,
    ]);
    expect(await claim(third)).toMatchObject({ claimed: [], refused: 'm3 is offline' });
    await store.beat({ self: third, state: 'acting', now: NOW });
    for (const by of [self, other, third]) await claim(by, 2);
    expect((await drain(store, 'm2')).sum).toContain('the others may hold 11 of 6 schedules');
    expect((await drain(store, 'm1')).refused).toBe('the others may hold 4 of 6 schedules');
  });
});
