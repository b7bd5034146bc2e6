import { damageableDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(damageableDatabases())('nodes and workers that are gone, on $name', (database) => {
  const { open, close, damage } = database;
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const sweep = async (before = NOW + 1) => {
    let steps = 0;
    while ((await store.sweepNodes({ before, limit: 2 })) > 0) if (++steps > 20) throw new Error('no end');
  };
  const nodes = async () => (await store.listNodes()).map(({ id }) => id);
  const workers = async () => (await store.listWorkers()).map(({ id }) => id);
  const leave = (worker: string, epoch: number) => store.leaveWorker({ self, worker, epoch, now: NOW });

  it('are forgotten once they were not seen for long; those that live stay however long they are silent', async () => {
    for (const id of ['m2', 'm3', 'm4', 'm5']) {
      const other = await joinMaster(store, id);
      if (id !== 'm5') await store.leaveNode({ self: other, now: NOW });
    }
    for (const id of ['w1', 'w2', 'w3', 'w4'])
      if (id !== 'w4') await leave(id, await joinWorker(store, self, id));
      else await joinWorker(store, self, id);
    await sweep(NOW);
    expect([(await nodes()).length, (await workers()).length]).toEqual([5, 4]);
    await sweep();
    expect([await nodes(), await workers()]).toEqual([['m1', 'm5'], ['w4']]);
  });

  it('come again in a later life: nothing of an earlier one counts', async () => {
    let epoch = 0;
    for (let k = 0; k < 3; k++) epoch = await joinWorker(store, self, 'w1');
    await leave('w1', epoch);
    const other = await joinMaster(store, 'm2');
    await store.leaveNode({ self: other, now: NOW });
    await sweep();
    expect(await workers()).toEqual([]);
    await expect(store.beat({ self: other, now: NOW })).rejects.toThrow('no longer holds epoch');
    const again = await joinMaster(store, 'm2');
    expect(again.epoch).toBeGreaterThan(other.epoch);
    await expect(store.beat({ self: other, now: NOW })).rejects.toThrow('no longer holds epoch');
    const later = await joinWorker(store, self, 'w1');
    expect(later).toBeGreaterThan(epoch);
    const beat = { self, worker: 'w1', take: 0, held: [], load: {}, now: NOW };
    expect((await store.beatWorker({ ...beat, epoch })).welcome).toBe(false);
    expect((await store.beatWorker({ ...beat, epoch: later })).welcome).toBe(true);
  });

  it('stay while something open refers to them', async () => {
    const [run] = await startRuns(store, self);
    const epoch = await joinWorker(store, self);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run))] }));
    await takeFor(store, self, epoch, 1);
    // Lost without what it had being settled: no operation does that.
    await damage('UPDATE worker SET lost = 1');
    await sweep();
    expect(await workers()).toEqual(['w1']);
    await commit(store, self, changeOf(run, { outcomes: [outcomeOf(attemptOf(run), epoch)] }));
    await sweep();
    expect(await workers()).toEqual([]);
  });
});
