import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  publish,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('what is said of one run on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let epoch: number;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    epoch = await joinWorker(store, self, 'w1', { slots: 2 });
    [run] = await startRuns(store, self);
    const enqueue = [0, 1, 2].map((task) => readyOf(attemptOf(run, task)));
    await commit(store, self, changeOf(run, { fields: fieldsOf('running'), enqueue }));
    await takeFor(store, self, epoch, 1);
    const task = { state: 'success', round: 1, since: NOW, shards: [] } as const;
    await commit(
      store,
      self,
      changeOf(run, {
        tasks: [[0, task]],
        outcomes: [outcomeOf(attemptOf(run, 0), epoch, { logTail: 'last words' })],
      }),
    );
  });
  afterAll(close);

  it('finds an attempt wherever it is', async () => {
    const states = [];
    for (const task of [0, 1, 2]) states.push(await store.readAttempt(attemptOf(run, task)));
    expect(states).toMatchObject([
      { state: 'success', worker: 'w1', queuedAt: NOW, assignedAt: NOW, endedAt: NOW + 5 },
      { state: 'assigned', worker: 'w1', queuedAt: NOW, assignedAt: NOW, endedAt: null },
      { state: 'queued', worker: null, queuedAt: NOW, assignedAt: null },
    ]);
    expect(await store.readAttempt(attemptOf(run, 9))).toBeUndefined();
    expect(await store.pageAttempts({ run, task: 1, limit: 5 })).toMatchObject([{ number: 1 }]);
    expect(await store.pageAttempts({ run, task: 1, after: { shard: -1, number: 1 }, limit: 5 })).toEqual([]);
    expect(await store.readLogTail(attemptOf(run, 0))).toBe('last words');
    expect(await store.readLogTail(attemptOf(run, 1))).toBeUndefined();
  });

  it('gives a page of task runs with what is open', async () => {
    const message = { type: 'control', control: { type: 'pause' }, by: 'me' } as const;
    await store.sendControl({ run, message, now: NOW });
    const details = await store.readRunDetails({ id: run, from: 0, to: 2 });
    expect(details).toMatchObject({
      run: { id: run, state: 'running' },
      request: { id: run },
      parent: null,
      tasks: [{ task: 0, state: 'success' }],
      open: [{ task: 1, worker: 'w1', queuedAt: NOW, assignedAt: NOW }],
      controls: [{ control: { type: 'pause' }, by: 'me', at: NOW }],
      told: true,
    });
    expect((await store.readRunDetails({ id: run, from: 2, to: 9 }))?.open).toMatchObject([
      { task: 2, worker: null, assignedAt: null },
    ]);
  });

  it('counts the task runs of all states', async () => {
    expect(await store.countTaskRuns({ run })).toEqual([{ state: 'success', round: 1, count: 1 }]);
    expect(await store.countTaskRuns({ run: run + 1_000 })).toEqual([]);
  });

  it('counts what stands before an attempt and what workers hold', async () => {
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 3))] }));
    expect(await store.readQueuePlace(attemptOf(run, 3))).toEqual({
      group: 'default',
      cores: null,
      memory: null,
      target: null,
      wished: null,
      avoid: null,
      ahead: 1,
      higher: 0,
    });
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 4), { runPriority: 1 })] }));
    expect(await store.readQueuePlace(attemptOf(run, 3))).toMatchObject({ ahead: 2, higher: 1 });
    expect(await store.listOpenWaits({ run, limit: 9 })).toEqual([
      { task: 2, group: 'default', urgent: 1 },
      { task: 3, group: 'default', urgent: 1 },
      { task: 4, group: 'default', urgent: 0 },
    ]);
    expect(await store.readQueuePlace(attemptOf(run, 1))).toBeUndefined();
    expect(await store.countAssignments()).toEqual([{ worker: 'w1', count: 1, cores: 0, memory: 0 }]);
  });

  it('knows who holds a limit since when, and how long tasks of earlier runs took', async () => {
    const [{ workflow }] = await store.loadRuns({ runs: [run] });
    const limits = { needs: [{ name: 'one', slots: 2 }] };
    const [later] = await startRuns(store, self, 1, { workflow });
    const enqueue = [3, 4].map((task) => readyOf(attemptOf(later, task), { limits, runPriority: task - 3 }));
    await commit(store, self, changeOf(later, { enqueue }));
    await takeFor(store, self, epoch, 2, { room: 1 });
    const holder = { run: later, workflow, version: 1, project: 'default' };
    expect(await store.listHolders({ name: 'one', limit: 5 })).toEqual([
      { ...holder, task: 3, since: NOW },
      { ...holder, task: 4, since: null },
    ]);
    const before = { runs: [{ workflow, before: later }], limit: 5 };
    expect(await store.listRunsBefore(before)).toEqual([{ id: run, workflow, version: 1 }]);
    const tasks = [0, 1].map((task) => ({ run, task }));
    expect(await store.readSuccessTimes({ tasks, limit: 5 })).toEqual([{ run, task: 0, took: 5 }]);
  });

  it('knows the runs that replay another, claimed or not', async () => {
    const workflow = await publish(store);
    const more = { workflow, request: { ...commandOf(workflow).request, replayOf: run } };
    const [first] = await startRuns(store, self, 1, more);
    const [queued] = await store.submitCommands({ commands: [commandOf(workflow, more)], now: NOW });
    expect(await store.listReplays({ run, limit: 9 })).toEqual([
      { id: queued, state: 'queued' },
      { id: first, state: 'running' },
    ]);
    expect(await store.listReplays({ run, limit: 1 })).toMatchObject([{ id: queued }]);
    expect(await store.listReplays({ run: first, limit: 9 })).toEqual([]);
  });

  it('knows earlier open runs of a workflow, and the children of a task', async () => {
    const [loaded] = await store.loadRuns({ runs: [run] });
    const { workflow } = loaded;
    const parent = { run, task: 2, round: 1, element: 0 };
    const [child, later] = await startRuns(store, self, 2, { workflow, parent });
    expect(await store.listOpenRuns({ workflow, before: later, limit: 9 })).toMatchObject([
      { id: run, state: 'running' },
      { id: child, state: 'running' },
    ]);
    expect((await store.listChildRuns({ run, task: 2, limit: 9 })).map(({ id }) => id)).toEqual([
      later,
      child,
    ]);
    expect(await store.readSource({ workflow, version: 1 })).toMatchObject({ source: '' });
  });
});
