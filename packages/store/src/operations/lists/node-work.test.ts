import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('what nodes work on, on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  it('is the attempts of a worker, those of one project too', async () => {
    const epoch = await joinWorker(store, self, 'w1', { slots: 2 });
    const [run] = await startRuns(store, self);
    const enqueue = [0, 1, 2].map((task) => readyOf(attemptOf(run, task)));
    await commit(store, self, changeOf(run, { fields: fieldsOf('running'), enqueue }));
    expect(await store.listWorkerAttempts({ worker: 'w1', limit: 9 })).toEqual([]);
    await takeFor(store, self, epoch, 1);
    const found = await store.listWorkerAttempts({ worker: 'w1', project: 'default', limit: 9 });
    expect(found).toMatchObject([
      { ...attemptOf(run, 0), project: 'default', version: 1, assignedAt: NOW, killed: 0 },
      { ...attemptOf(run, 1), project: 'default' },
    ]);
    expect(await store.listWorkerAttempts({ worker: 'w1', limit: 1 })).toEqual([found[0]]);
    expect(await store.listWorkerAttempts({ worker: 'w1', project: 'other', limit: 9 })).toEqual([]);
  });

  it('is the last commit of each live master, but no heartbeat', async () => {
    const other = await joinMaster(store, 'm2');
    const [run] = await startRuns(store, self);
    const since = (await store.listLastWork()).find(({ node }) => node === self.node)?.at;
    await store.beat({ self, now: NOW + 7_000 });
    expect(await store.listLastWork()).toContainEqual({ node: self.node, at: since });
    const changes = [changeOf(run, { fields: fieldsOf('running') })];
    await store.commitRuns({ self, changes, now: NOW + 9_000 });
    await store.leaveNode({ self: other, now: NOW });
    expect(await store.listLastWork()).toEqual([{ node: self.node, at: NOW + 9_000 }]);
  });
});
