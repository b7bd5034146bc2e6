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
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('handles on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let epoch: number;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    epoch = await joinWorker(store, self);
    [run] = await startRuns(store, self, 1);
    await queue(1);
    await takeFor(store, self, epoch, 1);
  });
  afterAll(close);

  const queue = (number: number, payload = '{"workerGroup":"default"}') =>
    commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 0, number), { payload })] }));
  const keep = (handle: string, by: Partial<{ worker: string; epoch: number; number: number }> = {}) => {
    const { worker = 'w1', number = 1 } = by;
    return store.keepHandle({
      self,
      worker,
      epoch: by.epoch ?? epoch,
      attempt: attemptOf(run, 0, number),
      handle,
    });
  };
  const left = (number: number) => store.readHandles({ attempts: [attemptOf(run, 0, number)] });
  const lose = () => store.loseWorker({ self, worker: 'w1', epoch, beat: 0, now: NOW });
  const end = () =>
    commit(
      store,
      self,
      changeOf(run, { tasks: [[0, { state: 'killed', round: 1, since: NOW, shards: [] }]] }),
    );
  const beat = async (worker: string, workerEpoch: number, now = NOW) => {
    const load = { cpu: 0 };
    const asked = { self, worker, epoch: workerEpoch, take: 0, held: [], load, now };
    return (await store.beatWorker(asked)).end.map(({ handle }) => handle);
  };

  it('are kept for the attempt that a worker has, and for no other', async () => {
    expect(await keep('a', { worker: 'w2' })).toEqual({ kept: false });
    expect(await keep('a', { epoch: epoch + 1 })).toEqual({ kept: false });
    expect(await keep('a', { number: 2 })).toEqual({ kept: false });
    expect(await keep('a')).toEqual({ kept: true });
    expect(await keep('b')).toEqual({ kept: true });
    // Not while its own worker has it.
    expect(await left(2)).toEqual([]);
  });

  it('go to the next attempt after a loss, which makes them its own or drops them', async () => {
    await keep('a');
    await lose();
    expect(await left(2)).toEqual([{ ...attemptOf(run, 0, 2), handle: 'a' }]);
    const other = await joinWorker(store, self, 'w2');
    await queue(2);
    await takeFor(store, self, other, 1, { worker: 'w2' });
    expect(await keep('a', { worker: 'w2', epoch: other, number: 2 })).toEqual({ kept: true });
    expect(await left(3)).toEqual([]);
    expect(await keep('', { worker: 'w2', epoch: other, number: 2 })).toEqual({ kept: true });
    await end();
    expect(await beat('w2', other)).toEqual([]);
  });

  it('are ended by one live worker of the group where the task is over', async () => {
    await keep('a');
    await lose();
    const second = await joinWorker(store, self, 'w2');
    const third = await joinWorker(store, self, 'w3');
    const foreign = await joinWorker(store, self, 'w4', { groups: ['gpu'] });
    expect(await beat('w2', second)).toEqual([]);
    await end();
    expect(await beat('w4', foreign)).toEqual([]);
    expect(await beat('w2', second)).toEqual(['a']);
    expect(await beat('w3', third)).toEqual([]);
    // Nobody goes on with what is being ended.
    expect(await left(2)).toEqual([]);
    await store.loseWorker({ self, worker: 'w2', epoch: second, beat: 2, now: NOW });
    expect(await beat('w3', third)).toEqual(['a']);
    expect(await keep('', { worker: 'w2', epoch: second })).toEqual({ kept: false });
    // Who was asked and did not do it is not waited for.
    expect(await beat('w3', third, NOW + 300_001)).toEqual(['a']);
    expect(await keep('', { worker: 'w3', epoch: third })).toEqual({ kept: true });
    expect(await beat('w3', third, NOW + 900_000)).toEqual([]);
  });

  it('are not ended while an attempt is queued', async () => {
    await keep('a');
    await lose();
    await queue(2);
    await end();
    const second = await joinWorker(store, self, 'w2');
    expect(await beat('w2', second)).toEqual([]);
  });
});
