import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import vectors from '../../../../core/fixtures/seed-vectors.json' with { type: 'json' };
import type { ReadyRow, Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  drain,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('a take on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    [run] = await startRuns(store, self);
  });
  afterAll(close);

  const queue = (count: number, more: Partial<ReadyRow> = {}, from = 0) =>
    commit(
      store,
      self,
      changeOf(run, {
        enqueue: Array.from({ length: count }, (_, k) => readyOf(attemptOf(run, from + k), more)),
      }),
    );
  const tasks = async (...input: Parameters<typeof takeFor>) =>
    (await takeFor(...input)).assignments.map(({ task }) => task);

  it('gives the same again when asked again, and the next for the next number', async () => {
    const epoch = await joinWorker(store, self);
    await queue(3);
    const first = await takeFor(store, self, epoch, 1, { room: 2 });
    expect(first.assignments).toMatchObject([
      { run, task: 0, take: 1, payload: `{"attempt":"${run}.0.1"}` },
      { run, task: 1, take: 1 },
    ]);
    const again = await takeFor(store, self, epoch, 1, { room: 2 });
    expect(again.assignments.toSorted((a, b) => a.task - b.task)).toEqual(first.assignments);
    expect(await tasks(store, self, epoch, 2)).toEqual([2]);
    expect(await tasks(store, self, epoch, 1)).toHaveLength(2);
  });

  it('lets anyone take what the worker chosen for it does not take in time', async () => {
    const chosen = await joinWorker(store, self, 'w1');
    const other = await joinWorker(store, self, 'w2');
    await queue(3, { target: 'w1', wished: true });
    await queue(1, { target: 'w1' }, 3);
    const at = (now: number, epoch: number, worker: string, number: number, room = 5) =>
      store.take({ self, worker, epoch, number, room, groups: ['default'], now });
    expect((await at(NOW + 1_999, other, 'w2', 1)).assignments).toEqual([]);
    expect((await at(NOW + 1_999, chosen, 'w1', 1, 1)).assignments).toMatchObject([{ task: 0 }]);
    expect((await at(NOW + 2_000, other, 'w2', 1)).assignments).toMatchObject([{ task: 1 }, { task: 2 }]);
    // What is meant for a worker in any case stays there.
    expect((await at(NOW + 9_000, other, 'w2', 2)).assignments).toEqual([]);
    expect((await at(NOW + 9_000, chosen, 'w1', 2)).assignments).toMatchObject([{ task: 3 }]);
  });

  it('gives attempts that ask for cores or memory only as far as the worker has them left', async () => {
    const epoch = await joinWorker(store, self, 'w1', { cores: 4, memory: 1_000 });
    await queue(2, { cores: 1.5, memory: 400 });
    await queue(1, { cores: 3 }, 2);
    await queue(1, { cores: 0.5 }, 3);
    await queue(1, { cores: 64 }, 4);
    await queue(2, {}, 5);
    // Task 2 does not fit now: room is kept for it, so 3 waits too, and what asks for nothing passes.
    expect(await tasks(store, self, epoch, 1, { room: 5 })).toEqual([0, 1, 5, 6]);
    const use = await store.countAssignments();
    expect(use).toMatchObject([{ count: 4, cores: 3_000, memory: 800 }]);
    expect(await tasks(store, self, epoch, 2, { room: 5 })).toEqual([]);
    await commit(
      store,
      self,
      changeOf(run, { outcomes: [0, 1].map((task) => outcomeOf(attemptOf(run, task), epoch)) }),
    );
    expect(await tasks(store, self, epoch, 2, { room: 5 })).toEqual([2, 3]);
  });

  it('gives nothing that asks to a worker that does not say what it has', async () => {
    const epoch = await joinWorker(store, self);
    await queue(1, { memory: 1 });
    await queue(1, {}, 1);
    expect(await tasks(store, self, epoch, 1)).toEqual([1]);
  });

  it('that finds nothing is not recorded and can be asked again', async () => {
    const epoch = await joinWorker(store, self);
    expect(await takeFor(store, self, epoch, 1)).toEqual({ found: true, assignments: [] });
    expect((await store.listWorkers())[0].take).toBe(0);
    await queue(1);
    expect(await tasks(store, self, epoch, 1)).toEqual([0]);
    expect((await store.listWorkers())[0].take).toBe(1);
  });

  it('gives no more than the room asked for, nor than the slots that are free', async () => {
    const epoch = await joinWorker(store, self, 'w1', { slots: 4 });
    await queue(9);
    expect(await tasks(store, self, epoch, 1, { room: 3 })).toHaveLength(3);
    expect(await tasks(store, self, epoch, 2, { room: 3 })).toHaveLength(1);
    expect(await tasks(store, self, epoch, 3, { room: 3 })).toHaveLength(0);
  });

  it('does not count against the slots what the worker says only waits', async () => {
    const epoch = await joinWorker(store, self, 'w1', { slots: 2 });
    await queue(5);
    expect(await tasks(store, self, epoch, 1, { room: 2 })).toHaveLength(2);
    expect(await tasks(store, self, epoch, 2, { room: 2 })).toHaveLength(0);
    expect(await tasks(store, self, epoch, 2, { room: 2, waiting: 1 })).toHaveLength(1);
  });

  it('serves the recorded places, run priority, run, task priority and task, in their order', async () => {
    const epoch = await joinWorker(store, self);
    const { input, order } = vectors.priority;
    const places = input.map((word) => word.split('_').map(Number));
    const numbers = [...new Set(places.map(([, number]) => number))].sort((a, b) => a - b);
    const runs = [run, ...(await startRuns(store, self, numbers.length - 1))];
    for (const [runPriority, number, taskPriority, task] of places) {
      const of = runs[numbers.indexOf(number)];
      const row = readyOf(attemptOf(of, task), { runPriority, taskPriority });
      await commit(store, self, changeOf(of, { enqueue: [row] }));
    }
    const { assignments } = await takeFor(store, self, epoch, 1);
    const named = (word: string) => word.split('_').map(Number);
    expect(assignments.map((entry) => [numbers[runs.indexOf(entry.run)], entry.task])).toEqual(
      order.map(named).map(([, number, , task]) => [number, task]),
    );
  });

  it('serves by run priority, run, task priority and task, compared as numbers', async () => {
    const epoch = await joinWorker(store, self);
    const later = (await startRuns(store, self, 10)).at(-1)!;
    const row = (of: number, task: number, more: Partial<ReadyRow> = {}) =>
      readyOf(attemptOf(of, task), more);
    await commit(
      store,
      self,
      changeOf(later, { enqueue: [row(later, 0, { taskPriority: 0 }), row(later, 1, { runPriority: 0 })] }),
    );
    await commit(
      store,
      self,
      changeOf(run, {
        enqueue: [
          row(run, 10),
          row(run, 9),
          row(run, 2, { taskPriority: 4 }),
          row(run, 11, { taskPriority: 1 }),
        ],
      }),
    );
    const { assignments } = await takeFor(store, self, epoch, 1);
    expect(assignments.map((entry) => [entry.run, entry.task])).toEqual([
      [later, 1],
      [run, 11],
      [run, 9],
      [run, 10],
      [run, 2],
      [later, 0],
    ]);
  });

  it('gives what is meant for this worker first, and never what is meant for another', async () => {
    const one = await joinWorker(store, self, 'w1');
    const two = await joinWorker(store, self, 'w2');
    await queue(2);
    await queue(1, { target: 'w1' }, 2);
    await queue(1, { target: 'w2' }, 3);
    expect(await tasks(store, self, one, 1, { room: 2 })).toEqual([2, 0]);
    expect(await tasks(store, self, one, 2)).toEqual([1]);
    expect(await tasks(store, self, two, 1, { worker: 'w2' })).toEqual([3]);
  });

  it('serves its groups in turn and no other', async () => {
    const epoch = await joinWorker(store, self, 'w1', { groups: ['b', 'a'] });
    await queue(1, { workerGroup: 'a' }, 0);
    await queue(1, { workerGroup: 'b' }, 1);
    await queue(1, { workerGroup: 'c' }, 2);
    expect(await tasks(store, self, epoch, 1, { groups: ['b', 'a'] })).toEqual([1, 0]);
  });

  it('leaves what avoids this worker to others, as long as its group has another that takes work', async () => {
    const one = await joinWorker(store, self, 'w1');
    const two = await joinWorker(store, self, 'w2');
    await joinWorker(store, self, 'elsewhere', { groups: ['other'] });
    await queue(1, { avoid: 'w1' }, 0);
    await queue(1, {}, 1);
    expect(await tasks(store, self, one, 1)).toEqual([1]);
    await drain(store, 'w2');
    expect(await tasks(store, self, one, 2)).toEqual([0]);
    await queue(1, { avoid: 'w1' }, 2);
    await drain(store, 'w2', false);
    expect(await tasks(store, self, one, 3)).toEqual([]);
    expect(await tasks(store, self, two, 1, { worker: 'w2' })).toEqual([2]);
  });

  it('gives nothing to a worker that drains, and what was meant for it to others', async () => {
    const one = await joinWorker(store, self, 'w1');
    const two = await joinWorker(store, self, 'w2');
    await queue(1, { target: 'w1' });
    expect(await drain(store, 'w1')).toMatchObject({ roles: ['worker'], refused: undefined });
    expect(await takeFor(store, self, one, 1)).toEqual({ found: true, assignments: [] });
    expect(await tasks(store, self, two, 1, { worker: 'w2' })).toEqual([0]);
    expect(await drain(store, 'nobody')).toMatchObject({ roles: [] });
  });

  it('does not keep work for a worker that is lost, draining or unknown when it is queued', async () => {
    const one = await joinWorker(store, self, 'w1');
    await joinWorker(store, self, 'w2');
    const three = await joinWorker(store, self, 'w3');
    await drain(store, 'w2');
    await store.loseWorker({ self, worker: 'w3', epoch: three, beat: 0, now: NOW });
    await queue(1, { target: 'w2' }, 0);
    await queue(1, { target: 'w3' }, 1);
    await queue(1, { target: 'nobody' }, 2);
    expect(await tasks(store, self, one, 1)).toEqual([0, 1, 2]);
  });

  it('is refused to a worker that was declared lost, or to its earlier life', async () => {
    const epoch = await joinWorker(store, self);
    await queue(1);
    const next = await joinWorker(store, self);
    expect(await takeFor(store, self, epoch, 1)).toEqual({ found: false, assignments: [] });
    await store.loseWorker({ self, worker: 'w1', epoch: next, beat: 0, now: NOW });
    expect((await takeFor(store, self, next, 1)).found).toBe(false);
  });
});
