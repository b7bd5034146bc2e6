import { testDatabases } from '@orrery/testkit/databases';
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
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('reports to another master on $name', ({ open, close }) => {
  let store: Store;
  let owner: Self;
  let other: Self;
  let epoch: number;
  let runs: number[];
  beforeEach(async () => {
    store = await open();
    owner = await joinMaster(store, 'owner');
    other = await joinMaster(store, 'other');
    epoch = await joinWorker(store, other);
    runs = await startRuns(store, owner, 2);
    await commit(store, owner, ...runs.map((run) => changeOf(run, { enqueue: [readyOf(attemptOf(run))] })));
    await takeFor(store, other, epoch, 1);
  });
  afterAll(close);

  const report = (run: number, state: 'success' | 'failed' = 'success') => ({
    ...outcomeOf(attemptOf(run), epoch, { state }),
    outcome: { state, worker: 'w1', outputs: { a: '1' } },
  });
  const record = (...reports: ReturnType<typeof report>[]) =>
    store.recordElsewhere({ self: other, reports, now: NOW });

  it('are recorded, told to the owner, and answered with whom to give a hint', async () => {
    await commit(store, owner, changeOf(runs[1], { release: true }));
    const { owners } = await record(report(runs[0]), report(runs[1], 'failed'));
    expect(owners.toSorted((a, b) => a.run - b.run)).toEqual([
      { run: runs[0], owner: 'owner' },
      { run: runs[1], owner: null },
    ]);
    expect(await readInboxes(store, owner)).toMatchObject([
      {
        run: runs[0],
        message: {
          type: 'outcome',
          attempt: { task: 0, shard: -1, number: 1 },
          outcome: { state: 'success', outputs: { a: '1' } },
        },
      },
    ]);
    expect(await store.listAttempts({ run: runs[1] })).toMatchObject([{ state: 'failed', late: 0 }]);
  });

  it.each([true, false])(
    'count also where the owner withdraws the attempt before it hears of it, kill %s',
    async (kill) => {
      await record(report(runs[0]));
      const change = changeOf(runs[0], { withdraw: [{ ...attemptOf(runs[0]), kill }] });
      expect((await commit(store, owner, change)).withdrawn).toEqual([]);
      expect(await readInboxes(store, owner)).toMatchObject([{ message: { outcome: { state: 'success' } } }]);
    },
  );

  it('count once, however often they come', async () => {
    await record(report(runs[0]), report(runs[0]));
    expect(await record(report(runs[0]))).toEqual({ owners: [] });
    expect(await readInboxes(store, owner)).toHaveLength(1);
    expect(await store.listAttempts({ run: runs[0] })).toMatchObject([{ late: 0, lateState: null }]);
  });

  it('that come after the attempt was lost are noted and change nothing', async () => {
    await store.loseWorker({ self: other, worker: 'w1', epoch, beat: 0, now: NOW });
    const before = await readInboxes(store, owner);
    expect(await record(report(runs[0]))).toEqual({ owners: [] });
    expect(await readInboxes(store, owner)).toEqual(before);
    expect(await store.listAttempts({ run: runs[0] })).toMatchObject([
      { state: 'lost', lateState: 'success' },
    ]);
  });

  it('for a run that does not exist are dropped', async () => {
    expect(await record(report(999_999))).toEqual({ owners: [] });
    expect(await store.listAttempts({ run: 999_999 })).toEqual([]);
  });
});
