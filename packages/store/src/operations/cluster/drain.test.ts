import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import { drain, joinMaster, joinWorker, NOW, publish, scheduleOf, startRuns } from '../../testing.ts';

describe.each(testDatabases())('draining on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store, 'm1');
  });
  afterAll(close);

  const join = (id: string, room: number) =>
    store.joinNode({ id, roles: ['master'], address: id, info: { room: String(room) }, now: NOW });

  it('is refused of the only master, and of the only worker of a group', async () => {
    await joinWorker(store, self, 'w1', { groups: ['default', 'gpu'] });
    await joinWorker(store, self, 'w2');
    expect((await drain(store, 'm1')).refused).toBe('no other master takes work');
    expect((await drain(store, 'w1')).refused).toBe('no other worker serves group gpu');
    expect((await store.listNodes())[0].draining).toBe(0);
    expect((await store.listWorkers())[0].draining).toBe(0);
  });

  it('is refused where the rest has too little room, with the sum', async () => {
    await startRuns(store, self, 3);
    await join('m2', 2);
    expect((await drain(store, 'm1')).refused).toContain('m2 has room for 2 runs; all masters hold 3');
    await join('m2', 3);
    expect(await drain(store, 'm1')).toMatchObject({ roles: ['master'], refused: undefined });
    expect((await store.beat({ self, now: NOW })).draining).toBe(true);
  });

  it('counts neither masters that drain, pause or are silent among the rest', async () => {
    await publish(store, 'flow', [scheduleOf()]);
    const { epoch } = await join('m2', 10);
    await store.beat({ self: { node: 'm2', epoch }, state: 'paused', now: NOW });
    expect((await drain(store, 'm1')).refused).toBe('no other master takes work');
    await store.beat({ self: { node: 'm2', epoch }, state: 'acting', now: NOW - 20_000 });
    expect((await drain(store, 'm1')).refused).toBe('no other master takes work');
    await store.beat({ self: { node: 'm2', epoch }, now: NOW });
    expect((await drain(store, 'm2')).refused).toBeUndefined();
    expect((await drain(store, 'm1')).refused).toBe('no other master takes work');
    expect((await drain(store, 'm2', false)).refused).toBeUndefined();
    expect((await drain(store, 'm1')).sum).toContain('schedules');
  });

  it('only says what it would do where it is only tried', async () => {
    await join('m2', 10);
    const tried = { node: 'm1', drain: true, timeout: 0, silentAfter: 10_000, actor: 'me', now: NOW };
    expect(await store.drainNode({ ...tried, dryRun: true })).toMatchObject({ refused: undefined });
    expect((await store.listNodes())[0].draining).toBe(0);
    expect(await store.listHistory({ of: { kind: 'node', subject: 'm1' }, limit: 9 })).toMatchObject([
      { action: 'joined' },
    ]);
  });

  it('lets only one of two drains pass that are asked for at once', async () => {
    await join('m2', 10);
    const answers = await Promise.all([drain(store, 'm1'), drain(store, 'm2')]);
    expect(answers.filter(({ refused }) => refused === undefined)).toHaveLength(1);
  });

  it('outlives a restart, until it is taken back', async () => {
    await join('m2', 10);
    await drain(store, 'm1');
    const again = await joinMaster(store, 'm1');
    expect((await store.beat({ self: again, now: NOW })).draining).toBe(true);
    await drain(store, 'm1', false);
    expect(await store.beat({ self: again, now: NOW })).toMatchObject({ draining: false, drainBy: null });
  });

  it('is taken back of nodes that are down, which come back and take work', async () => {
    const { epoch } = await join('m2', 10);
    const worker = await joinWorker(store, self, 'w1');
    await joinWorker(store, self, 'w2');
    await drain(store, 'm2');
    await drain(store, 'w1');
    await store.leaveNode({ self: { node: 'm2', epoch }, now: NOW });
    await store.leaveWorker({ self, worker: 'w1', epoch: worker, now: NOW });
    expect(await drain(store, 'm2')).toMatchObject({ roles: [] });
    expect(await drain(store, 'm2', false)).toMatchObject({ roles: ['master'] });
    expect(await drain(store, 'w1', false)).toMatchObject({ roles: ['worker'] });
    const again = await join('m2', 10);
    expect((await store.beat({ self: { node: 'm2', epoch: again.epoch }, now: NOW })).draining).toBe(false);
    expect((await store.listWorkers()).map(({ draining }) => draining)).toEqual([0, 0]);
  });

  it('drains all that a process is', async () => {
    await join('m2', 10);
    await joinWorker(store, self, 'm1');
    await joinWorker(store, self, 'w2');
    expect((await drain(store, 'm1')).roles).toEqual(['master', 'worker']);
    expect((await store.listWorkers())[0].draining).toBe(1);
  });

  it('forgets only who is gone, and an epoch of theirs is never given again', async () => {
    const forget = (node: string) => store.forgetNode({ node, actor: 'me', now: NOW });
    const old = await joinMaster(store, 'm2');
    expect(await forget('nobody')).toBe('unknown');
    expect(await forget('m2')).toBe('alive');
    await store.leaveNode({ self: old, now: NOW });
    expect(await store.forgetNode({ node: 'm2', dryRun: true, actor: 'me', now: NOW })).toBe('forgotten');
    expect(await forget('m2')).toBe('again');
    expect(await forget('m2')).toBe('forgotten');
    expect((await store.listNodes()).map(({ id }) => id)).toEqual(['m1']);
    expect((await joinMaster(store, 'm2')).epoch).toBeGreaterThan(old.epoch);
    const about = await store.listHistory({ of: { kind: 'node', subject: 'm2' }, limit: 9 });
    expect(about.slice(0, 2)).toMatchObject([{ action: 'joined' }, { action: 'forget', actor: 'me' }]);
  });
});
