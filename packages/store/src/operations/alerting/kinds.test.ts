/** Each kind of alert that the store itself raises, and what ends it. Those of runs are raised by their owners. */
import type { AlertKind } from '@orrery/core/alert';
import { ruleSchema } from '@orrery/core/alert/schema';
import { ownershipSchema } from '@orrery/core/balance/schema';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Self, type Store, startRow } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  claimStarts,
  commandOf,
  commit,
  joinMaster,
  NOW,
  publish,
  readyOf,
  scheduleOf,
} from '../../testing.ts';

const MINUTE = 60_000;

describe.each(testDatabases())('on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  async function listen(...kinds: AlertKind[]) {
    const rule = ruleSchema.parse({ name: 'all', match: { kinds }, channels: ['ops'], update: '1s' });
    await store.setAlertRule({ project: '*', rule, by: 'ann', now: NOW });
  }

  /** What is told at a time: reason, kind and name of each message. */
  async function told(now: number) {
    await store.routeAlerts({ self, limit: 100, now });
    await store.passAlertGroups({ self, limit: 100, now });
    const leased = await store.leaseDeliveries({ self, limit: 100, until: now + 1, now });
    const results = leased.map(({ id, tries }) => {
      return { id, number: tries, state: 'sent', answer: '', took: 1 } as const;
    });
    await store.recordTries({ self, results, now });
    return leased.map(
      ({ message: { reason, subjects } }) => `${reason} ${subjects[0].kind} ${subjects[0].name}`,
    );
  }

  async function joinWorker(id: string, groups: readonly string[], load: Record<string, number> = {}) {
    const { epoch } = await store.joinWorker({ self, worker: id, address: '', groups, slots: 1, now: NOW });
    const beat = (more: object) =>
      store.beatWorker({ self, worker: id, epoch, take: 0, held: [], load, now: NOW, ...more });
    await beat({});
    return beat;
  }

  it('a worker that takes no work is told, and that it is well again', async () => {
    await listen('worker-unhealthy');
    const beat = await joinWorker('w1', ['default']);
    await beat({ unhealthy: 'no space left' });
    await beat({ unhealthy: 'no space left' });
    expect(await told(NOW)).toEqual(['new worker-unhealthy w1']);
    await beat({});
    expect(await told(NOW + MINUTE)).toEqual(['resolve worker-unhealthy w1']);
  });

  it('a lost worker is told, and that it is back', async () => {
    await listen('worker-lost');
    const join = { self, worker: 'w1', address: '', groups: ['default'], slots: 1, now: NOW };
    const { epoch } = await store.joinWorker(join);
    expect(await store.loseWorker({ self, worker: 'w1', epoch, beat: 0, now: NOW })).toEqual({ lost: true });
    expect(await told(NOW)).toEqual(['new worker-lost w1']);
    await store.joinWorker(join);
    expect(await told(NOW + 60_000)).toEqual(['resolve worker-lost w1']);
  });

  it('a disk that is nearly full is told once, until it is not', async () => {
    await listen('disk');
    const beat = await joinWorker('w1', ['default'], { disk: 0.95 });
    expect(await store.checkConditions({ self, now: NOW })).toBe(1);
    expect(await store.checkConditions({ self, now: NOW + 1 })).toBe(1);
    expect(await told(NOW + 2)).toEqual(['new disk w1']);
    await beat({ load: { disk: 0.5 } });
    expect(await store.checkConditions({ self, now: NOW + MINUTE })).toBe(0);
    expect(await told(NOW + MINUTE)).toEqual(['resolve disk w1']);
  });

  it('history that is nearly as long as is kept is told, until it is not', async () => {
    await listen('retention');
    const count = async (part: string, many: number, now: number) =>
      await store.setRetentionAlerts({ self, part, count: many, most: 100, now });
    await count('runs', 89, NOW);
    await count('ticks', 90, NOW);
    await count('ticks', 91, NOW);
    expect(await told(NOW)).toEqual(['new retention ticks']);
    await count('ticks', 50, NOW + 1);
    expect(await told(NOW + MINUTE)).toEqual(['resolve retention ticks']);
  });

  it('another leader is told, and no plan of the same one', async () => {
    await listen('leader-changed');
    const plan = (number: number, leader: string) => ({
      number,
      mode: 'scope',
      strategy: 'range',
      hash: 'h',
      leader,
      reason: 'it leads now',
      body: '{}',
      schedules: 0,
      moved: 0,
      writtenAt: NOW,
    });
    for (const [number, leader] of [
      [1, 'm1'],
      [2, 'm1'],
      [3, 'm2'],
      [3, 'm2'],
    ] as const)
      await store.recordPlan({ self, plan: plan(number, leader) });
    expect(await told(NOW)).toEqual(['new leader-changed m2']);
    expect(await told(NOW + MINUTE)).toEqual([]);
  });

  it('a master above its threshold is told, until the threshold is higher', async () => {
    await listen('claim-alarm');
    await publish(store, 'flow', [scheduleOf('a'), scheduleOf('b')]);
    const threshold = (alarmAbove: number) =>
      store.setOwnership({
        settings: ownershipSchema.parse({ mode: 'claim', masters: { [self.node]: { alarmAbove } } }),
        by: 'ann',
        now: NOW,
      });
    await threshold(1);
    await store.claimSchedules({ self, upTo: 'limit', most: 10, now: NOW });
    expect(await told(NOW)).toEqual([`new claim-alarm ${self.node}`]);
    expect(await told(NOW + MINUTE)).toEqual([]);
    await threshold(10);
    expect(await told(NOW + 2 * MINUTE)).toEqual([`resolve claim-alarm ${self.node}`]);
  });

  it('a queue that no worker serves is told, until a worker of its group comes', async () => {
    await listen('no-worker');
    const workflow = await publish(store);
    const { run } = await store.submitCommand({ command: commandOf(workflow), now: NOW });
    await claimStarts(store, self, 1);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run), { workerGroup: 'gpu' })] }));
    await joinWorker('w1', ['default']);
    const beat = await joinWorker('w2', ['gpu']);
    expect(await store.checkConditions({ self, now: NOW + MINUTE })).toBe(0);
    await beat({ unhealthy: 'no memory' });
    expect(await store.checkConditions({ self, now: NOW })).toBe(0);
    expect(await store.checkConditions({ self, now: NOW + MINUTE })).toBe(1);
    expect(await told(NOW + MINUTE)).toEqual(['new no-worker gpu']);
    await beat({});
    await store.checkConditions({ self, now: NOW + 2 * MINUTE });
    expect(await told(NOW + 2 * MINUTE)).toEqual(['resolve no-worker gpu']);
  });

  it('a tick that comes late, and ticks that start nothing, are told with the reason', async () => {
    await listen('tick-late', 'tick-skipped');
    const workflow = await publish(store, 'flow', [scheduleOf('a'), scheduleOf('b'), scheduleOf('c')]);
    const start = startRow(commandOf(workflow, { trigger: 'tick' }));
    const due = NOW + 1_000;
    const skipped = { from: due, to: due, count: 1, reason: 'missed' };
    const schedules = (await store.listSchedules({})).map(({ id, version }, k) => ({
      schedule: id,
      workflow,
      version,
      seen: NOW,
      firedUntil: due,
      nextDue: null,
      ticks: k === 2 ? [] : [{ due, start }],
      ...(k === 2 && { skipped }),
    }));
    await store.fireTicks({ self, schedules: [schedules[0]], now: due + 9_000 });
    expect(await told(due)).toEqual([]);
    await store.fireTicks({ self, schedules: schedules.slice(1), now: due + 20_000 });
    expect((await told(due)).toSorted()).toEqual(['new tick-late flow', 'new tick-skipped flow']);
    const texts = (await store.listAlerts({ after: 0, limit: 10 })).map(({ text }) => text);
    expect(texts).toEqual([
      `due at ${new Date(due).toISOString()}, started 20 s later`,
      `nothing started at ${new Date(due).toISOString()}: missed`,
    ]);
  });
});
