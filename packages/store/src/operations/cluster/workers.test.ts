import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptRef, Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  drain,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('workers on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let run: number;
  let epoch: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    [run] = await startRuns(store, self);
    epoch = await joinWorker(store, self);
  });
  afterAll(close);

  const assign = async (number: number, ...tasks: number[]): Promise<AttemptRef[]> => {
    await commit(store, self, changeOf(run, { enqueue: tasks.map((task) => readyOf(attemptOf(run, task))) }));
    await takeFor(store, self, epoch, number);
    return tasks.map((task) => attemptOf(run, task));
  };
  const beat = (take: number, held: readonly AttemptRef[]) =>
    store.beatWorker({ self, worker: 'w1', epoch, take, held, load: { cpu: 0.5 }, now: NOW + 7 });
  const lost = async () =>
    (await readInboxes(store, self)).flatMap(({ message }) =>
      message.type === 'outcome' && message.outcome.state === 'lost' ? [message.attempt.task] : [],
    );

  it('beat, and keep what they hold', async () => {
    const held = await assign(1, 0, 1);
    expect(await beat(1, held)).toEqual({ welcome: true, kill: [], end: [] });
    expect(await lost()).toEqual([]);
    expect(await store.listWorkers()).toMatchObject([
      { id: 'w1', beat: 1, beatAt: NOW + 7, load: '{"cpu":0.5}' },
    ]);
  });

  it('that are not healthy are given nothing, and nothing waits for them alone', async () => {
    const sick = (unhealthy?: string) =>
      store.beatWorker({ self, worker: 'w1', epoch, take: 0, held: [], load: {}, unhealthy, now: NOW + 8 });
    const other = await joinWorker(store, self, 'w2');
    await commit(store, self, changeOf(run, { enqueue: [{ ...readyOf(attemptOf(run, 0)), target: 'w1' }] }));
    await sick('no space left');
    await sick('no space left at all');
    expect(await store.listWorkers()).toMatchObject([
      { id: 'w1', unhealthy: 'no space left at all', unhealthySince: NOW + 8 },
      { id: 'w2', unhealthy: null, unhealthySince: null },
    ]);
    await commit(store, self, changeOf(run, { enqueue: [{ ...readyOf(attemptOf(run, 1)), target: 'w1' }] }));
    // It is alone in its group with what avoids w2, but w1 does not count.
    await commit(store, self, changeOf(run, { enqueue: [{ ...readyOf(attemptOf(run, 2)), avoid: 'w2' }] }));
    expect((await takeFor(store, self, epoch, 1)).assignments).toEqual([]);
    const { assignments } = await store.take({
      self,
      worker: 'w2',
      epoch: other,
      number: 1,
      room: 9,
      groups: ['default'],
      now: NOW,
    });
    expect(assignments.map(({ task }) => task)).toEqual([0, 1, 2]);
    const actions = async () =>
      (await store.listHistory({ of: { kind: 'worker', subject: 'w1' }, limit: 9 })).map(
        (entry) => entry.action,
      );
    await sick();
    await sick();
    expect(await actions()).toEqual(['healthy', 'unhealthy', 'unhealthy', 'joined']);
    expect(await store.listWorkers()).toMatchObject([{ unhealthy: null, unhealthySince: null }, {}]);
  });

  it('say what they can run, until they are gone', async () => {
    const join = (worker: string, taskTypes?: string) =>
      store.joinWorker({ self, worker, address: '', slots: 1, groups: [], taskTypes, now: NOW });
    const types = ['[{"name":"spark"}]', '[{"name":"flink"}]'];
    const { epoch } = await join('a', types[1]);
    await join('b', types[0]);
    await join('c', types[0]);
    expect(await store.listTaskTypes()).toEqual([types[1], types[0], '[]']);
    await store.leaveWorker({ self, worker: 'a', epoch, now: NOW });
    await join('b');
    expect(await store.listTaskTypes()).toEqual(['[]', types[0]]);
  });

  it('lose what a take they received has given and they do not hold', async () => {
    const [kept, missing] = await assign(1, 0, 1);
    await assign(2, 2);
    expect(await beat(1, [kept])).toEqual({ welcome: true, kill: [], end: [] });
    expect(await lost()).toEqual([missing.task]);
    expect(await store.listAttempts({ run })).toMatchObject([
      { task: 1, state: 'lost', error: 'worker w1 does not have it' },
    ]);
    await beat(1, [kept]);
    expect(await lost()).toEqual([missing.task]);
  });

  it('are told once more what to kill, until it is gone', async () => {
    const [attempt, other] = await assign(1, 0, 1);
    await commit(store, self, changeOf(run, { withdraw: [{ ...attempt, kill: true }] }));
    expect((await beat(1, [attempt, other])).kill).toEqual([attempt]);
    expect((await beat(1, [attempt, other])).kill).toEqual([attempt]);
    await commit(store, self, changeOf(run, { outcomes: [outcomeOf(attempt, epoch, { state: 'killed' })] }));
    expect((await beat(1, [other])).kill).toEqual([]);
  });

  it('are declared lost only if their beat has not changed since it was seen', async () => {
    await assign(1, 0);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 5), { target: 'w1' })] }));
    await beat(1, [attemptOf(run, 0)]);
    const lose = (seen: number) => store.loseWorker({ self, worker: 'w1', epoch, beat: seen, now: NOW });
    expect(await lose(0)).toEqual({ lost: false });
    expect(await lose(1)).toEqual({ lost: true });
    expect(await lose(1)).toEqual({ lost: false });
    expect(await lost()).toEqual([0]);
    expect(await beat(1, [])).toEqual({ welcome: false, kill: [], end: [] });
    const other = await joinWorker(store, self, 'w2');
    expect((await takeFor(store, self, other, 1, { worker: 'w2' })).assignments).toMatchObject([{ task: 5 }]);
  });

  it('lose what they held when they leave or start again', async () => {
    await assign(1, 0);
    const next = await joinWorker(store, self);
    expect(next).toBe(epoch + 1);
    expect(await lost()).toEqual([0]);
    expect((await store.listWorkers())[0]).toMatchObject({ take: 0, beat: 0, lost: 0 });
    epoch = next;
    await assign(1, 1);
    await store.leaveWorker({ self, worker: 'w1', epoch, now: NOW });
    expect(await lost()).toEqual([0, 1]);
    expect((await store.listWorkers())[0].lost).toBe(1);
    expect(await store.countAssignments()).toEqual([]);
  });

  it('stay draining when they start again', async () => {
    await joinWorker(store, self, 'w2');
    await drain(store, 'w1');
    await joinWorker(store, self);
    expect((await store.listWorkers())[0].draining).toBe(1);
  });
});
