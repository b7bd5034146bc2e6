import { testDatabases } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Self, type Store, startRow } from '../../index.ts';
import { commandOf, joinMaster, NOW, publish, scheduleOf, workflowOf } from '../../testing.ts';

describe.each(testDatabases())('schedules on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let workflow: number;
  let id: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    workflow = await publish(store, 'flow', [scheduleOf()]);
    [{ id }] = await store.listSchedules({});
  });
  afterAll(close);

  const fire = (seen: number, due: number, more: { version?: number; self?: Self } = {}) =>
    fireTick(store, {
      self: more.self ?? self,
      schedule: id,
      version: more.version ?? 1,
      seen,
      firedUntil: due,
      nextDue: due + 1_000,
      ticks: [{ due, command: commandOf(workflow, { trigger: 'tick' }) }],
      now: NOW,
    });

  it('fire a tick once: the second with the same sight does nothing', async () => {
    const { fired, runs } = await fire(NOW, NOW + 1_000);
    expect(fired).toBe(true);
    expect(await fire(NOW, NOW + 1_000)).toEqual({ fired: false, runs: [] });
    expect(await store.listTicks({ schedule: id, limit: 10 })).toMatchObject([
      { due: NOW + 1_000, run: runs[0], reason: null, count: 1 },
    ]);
    expect(await store.listCommands({ limit: 10 })).toHaveLength(1);
    expect((await fire(NOW + 1_000, NOW + 2_000)).fired).toBe(true);
  });

  it('fire once when two masters do at the same time', async () => {
    const other = await joinMaster(store, 'm2');
    const answers = await Promise.all([fire(NOW, NOW + 1_000), fire(NOW, NOW + 1_000, { self: other })]);
    expect(answers.map(({ fired }) => fired).sort()).toEqual([false, true]);
    expect(await store.listCommands({ limit: 10 })).toHaveLength(1);
  });

  it('do not fire when edited, turned off or of another version since they were seen', async () => {
    await store.setSchedule({ id, enabled: false, nextDue: null, now: NOW });
    expect((await fire(NOW, NOW + 1_000)).fired).toBe(false);
    expect((await fire(NOW, NOW + 1_000, { version: 2 })).fired).toBe(false);
    const on = await store.setSchedule({ id, enabled: true, nextDue: NOW + 5, now: NOW + 1 });
    expect(on).toMatchObject({ enabled: true, version: 3, firedUntil: NOW + 1, nextDue: NOW + 5 });
    expect((await fire(NOW, NOW + 1_000, { version: 3 })).fired).toBe(false);
    expect((await fire(NOW + 1, NOW + 1_000, { version: 3 })).fired).toBe(true);
  });

  it('never fire a tick again, although the clock was set back before they were turned on', async () => {
    await fire(NOW, NOW + 1_000);
    const on = await store.setSchedule({ id, enabled: true, nextDue: NOW + 1_000, now: NOW - 5_000 });
    expect(on?.firedUntil).toBe(NOW + 1_000);
    await expect(fire(NOW + 1_000, NOW + 1_000, { version: 2 })).rejects.toMatchObject({
      tag: 'invalid-input',
    });
  });

  it('record missed ticks as one skip with its reason', async () => {
    await fireTick(store, {
      self,
      schedule: id,
      version: 1,
      seen: NOW,
      firedUntil: NOW + 9_000,
      nextDue: NOW + 10_000,
      ticks: [{ due: NOW + 9_000, command: commandOf(workflow) }],
      skipped: { from: NOW + 1_000, to: NOW + 8_000, count: 8, reason: 'the cluster was down' },
      now: NOW,
    });
    expect(await store.listTicks({ schedule: id, limit: 10 })).toMatchObject([
      { due: NOW + 9_000, count: 1 },
      { due: NOW + 1_000, until: NOW + 8_000, count: 8, run: null, reason: 'the cluster was down' },
    ]);
  });

  it('fire together, each by its own compare-and-set, with one row in the feed', async () => {
    await publish(store, 'more', [scheduleOf('b'), scheduleOf('c')]);
    const { position } = await store.readFeed({ limit: 100 });
    const all = await store.listSchedules({});
    const start = startRow(commandOf(workflow, { trigger: 'tick' }));
    const due = NOW + 1_000;
    const schedules = all.map(({ id, version }) => ({
      schedule: id,
      workflow,
      version: id === all[1].id ? version + 1 : version,
      seen: NOW,
      firedUntil: due,
      nextDue: due + 1_000,
      live: 1,
      ticks: [{ due, start }],
    }));
    const { outcomes } = await store.fireTicks({ self, schedules: schedules.toReversed(), now: NOW });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['fired', 'lost', 'fired']);
    expect(await store.listCommands({ limit: 10 })).toHaveLength(2);
    const feed = await store.readFeed({ position, limit: 100 });
    expect(feed.events.filter(({ topic }) => topic === 'run')).toHaveLength(2);
    expect(feed.events.filter(({ topic }) => topic === 'schedule').map(({ subject }) => subject)).toEqual([
      all[0].id,
      all[2].id,
    ]);
    const numbers = (at: typeof position) => Object.values(at).reduce((sum, n) => sum + n, 0);
    expect(numbers(feed.position) - numbers(position)).toBe(1);
    await expect(
      store.fireTicks({ self, schedules: [schedules[0], schedules[0]], now: NOW }),
    ).rejects.toMatchObject({ tag: 'invalid-input' });
  });

  it('do not start a version of their workflow that is live no more', async () => {
    const start = startRow(commandOf(workflow, { trigger: 'tick' }));
    const tick = { schedule: id, workflow, version: 1, seen: NOW, firedUntil: NOW + 1_000, nextDue: null };
    const fireWith = (live: number) =>
      store.fireTicks({
        self,
        schedules: [{ ...tick, live, ticks: [{ due: NOW + 1_000, start }] }],
        now: NOW,
      });
    expect((await fireWith(2)).outcomes).toEqual([{ outcome: 'lost' }]);
    expect((await fireWith(1)).outcomes).toMatchObject([{ outcome: 'fired' }]);
  });

  it("fire nothing before its time by the store's clock, whatever the caller's shows", async () => {
    const { storeTime } = await store.beat({ self, now: NOW });
    const start = startRow(commandOf(workflow, { trigger: 'tick' }));
    const due = storeTime + 90_000;
    const ticks = { schedule: id, workflow, version: 1, seen: NOW, firedUntil: due, nextDue: null };
    const skipped = { from: NOW + 1_000, to: due, count: 9, reason: 'missed' };
    const now = due + 1;
    for (const early of [
      { ...ticks, ticks: [{ due, start }] },
      { ...ticks, ticks: [], skipped },
    ]) {
      const answer = await store.fireTicks({ self, schedules: [early], now });
      expect(answer.outcomes).toEqual([{ outcome: 'early' }]);
      expect(answer.storeTime).toBeLessThan(due);
    }
    expect(await store.listTicks({ schedule: id, limit: 10 })).toEqual([]);
    expect((await store.listSchedules({}))[0]).toMatchObject({ firedUntil: NOW, nextDue: NOW + 1_000 });
  });

  it("are edited at the store's time at most, so that nothing is passed over that has not come", async () => {
    const ahead = (await store.beat({ self, now: NOW })).storeTime + 90_000;
    const set = await store.setSchedule({ id, enabled: true, nextDue: ahead + 1_000, now: ahead });
    expect(set?.firedUntil).toBeLessThanOrEqual((await store.beat({ self, now: NOW })).storeTime);
    await store.publishWorkflow({
      workflow: workflowOf('ahead', [scheduleOf('new')]),
      hash: 'ahead',
      source: '',
      note: '',
      author: '',
      due: {},
      now: ahead,
    });
    const made = (await store.listSchedules({})).find(({ name }) => name === 'new');
    expect(made?.firedUntil).toBeLessThan(ahead);
  });

  it('are numbered by their edits, and found by them', async () => {
    const revision = async () => (await store.beat({ self, now: NOW })).scheduleRevision;
    const before = await revision();
    await fire(NOW, NOW + 1_000);
    expect(await revision()).toBe(before);
    await store.setSchedule({ id, enabled: false, nextDue: null, now: NOW });
    expect(await store.editedSchedules({ after: before, limit: 9 })).toEqual([
      { id, revision: await revision() },
    ]);
    await publish(store, 'flow', []);
    expect(await store.editedSchedules({ after: 0, limit: 9 })).toEqual([]);
  });

  it('are found when due, soonest first, and not when off', async () => {
    await publish(store, 'later', [scheduleOf('b')]);
    const later = (await store.listSchedules({})).find(({ name }) => name === 'b')!;
    await store.setSchedule({ id: later.id, enabled: true, nextDue: NOW + 500, now: NOW });
    expect((await store.dueSchedules({ until: NOW + 2_000, limit: 10 })).map(({ name }) => name)).toEqual([
      'b',
      'often',
    ]);
    expect(await store.dueSchedules({ until: NOW + 600, limit: 10 })).toHaveLength(1);
    await store.setSchedule({ id, enabled: false, nextDue: null, now: NOW });
    expect(await store.dueSchedules({ until: NOW + 9_000, limit: 10 })).toHaveLength(1);
  });

  it('list ticks by page and drop old ones, those of a deleted schedule too', async () => {
    for (let k = 0; k < 4; k++) await fire(NOW + k * 1_000, NOW + (k + 1) * 1_000);
    const page = await store.listTicks({ schedule: id, limit: 2 });
    expect(page.map(({ due }) => due)).toEqual([NOW + 4_000, NOW + 3_000]);
    const rest = await store.listTicks({ schedule: id, before: NOW + 3_000, limit: 2 });
    expect(rest.map(({ due }) => due)).toEqual([NOW + 2_000, NOW + 1_000]);
    expect(await store.sweepTicks({ before: NOW + 2_500, limit: 1 })).toBe(1);
    expect(await store.sweepTicks({ before: NOW + 2_500, limit: 9 })).toBe(1);
    await publish(store, 'flow', []);
    expect(await store.sweepTicks({ before: NOW, limit: 9 })).toBe(0);
    expect(await store.sweepTicks({ before: NOW + 9_000, limit: 9 })).toBe(2);
  });
});
