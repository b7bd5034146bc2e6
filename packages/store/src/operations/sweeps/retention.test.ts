import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunChange, Self, Store } from '../../index.ts';
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

describe.each(testDatabases())('finished runs on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const end = (run: number, at = NOW, more: Partial<RunChange> = {}) =>
    commit(store, self, changeOf(run, { fields: fieldsOf('success'), endedAt: at, release: true, ...more }));
  const sweep = (before = NOW + 1, limit = 100, after = 0) => store.sweepRuns({ before, after, limit });
  const left = async () => (await store.listRuns({ limit: 100 })).map(({ id }) => id).sort((a, b) => a - b);

  it('go by age with their task runs and attempts; young and open ones stay', async () => {
    const epoch = await joinWorker(store, self);
    const [old, young, open_] = await startRuns(store, self, 3);
    await commit(store, self, changeOf(old, { enqueue: [readyOf(attemptOf(old))] }));
    await takeFor(store, self, epoch, 1);
    const task = { state: 'success', round: 1, since: NOW, shards: [] } as const;
    await end(old, NOW, { tasks: [[0, task]], outcomes: [outcomeOf(attemptOf(old), epoch)] });
    await end(young, NOW + 50);
    expect(await sweep(NOW + 10)).toEqual({ swept: 1, next: undefined, remain: false });
    expect(await left()).toEqual([young, open_]);
    const { counts } = await store.checkStore();
    expect([counts.run, counts.task_run, counts.attempt]).toEqual([2, 0, 0]);
  });

  it('stay while their parent is open', async () => {
    const [parent] = await startRuns(store, self);
    const [child] = await startRuns(store, self, 1, {
      parent: { run: parent, task: 0, round: 1, element: 0 },
    });
    await end(child);
    expect((await sweep()).swept).toBe(0);
    await end(parent);
    expect((await sweep()).swept).toBe(2);
  });

  it('stay while something is on its way to them or still runs', async () => {
    const epoch = await joinWorker(store, self);
    const [told, assigned, queued, owned] = await startRuns(store, self, 4);
    await commit(store, self, changeOf(assigned, { enqueue: [readyOf(attemptOf(assigned))] }));
    await takeFor(store, self, epoch, 1);
    await end(told);
    await store.sendControl({
      run: told,
      message: { type: 'control', control: { type: 'recover' }, by: '' },
      now: NOW,
    });
    await end(assigned);
    await end(queued, NOW, { enqueue: [readyOf(attemptOf(queued))] });
    await end(owned, NOW, { release: false });
    expect((await sweep()).swept).toBe(0);
    expect(await left()).toEqual([told, assigned, queued, owned]);
  });

  it('are swept a page at a time, as far as runs are old', async () => {
    const runs = await startRuns(store, self, 5);
    for (const run of runs) await end(run);
    const first = await sweep(NOW + 1, 2);
    expect(first).toMatchObject({ swept: 2, next: runs[1] });
    const second = await sweep(NOW + 1, 2, first.next);
    expect(second).toMatchObject({ swept: 2, next: runs[3] });
    expect(await sweep(NOW + 1, 2, second.next)).toMatchObject({ swept: 1, next: undefined });
    const more = await startRuns(store, self, 3);
    for (const run of more) await end(run);
    expect(await sweep(NOW, 2)).toMatchObject({ swept: 0, next: undefined });
  });

  it('go by number, the oldest first, however young they are', async () => {
    const runs = await startRuns(store, self, 5);
    for (const run of runs) await end(run);
    const { oldest, count } = await store.rowsBack({ of: 'runs', limit: 2 });
    expect([oldest, count]).toEqual([runs[3], 2]);
    const [first] = runs;
    expect(await store.rowsBack({ of: 'runs', before: runs[3], limit: 9 })).toEqual({
      place: first,
      oldest: first,
      count: 3,
    });
    expect(await store.rowsBack({ of: 'runs', before: first, limit: 9 })).toMatchObject({
      place: null,
      count: 0,
    });
    expect(await store.sweepRuns({ before: 0, oldest: runs[3], limit: 2 })).toMatchObject({
      swept: 2,
      next: runs[1],
    });
    const rest = await store.sweepRuns({ before: 0, oldest: runs[3], after: runs[1], limit: 2 });
    expect(rest).toMatchObject({ swept: 1, next: undefined });
    expect(await left()).toEqual([runs[3], runs[4]]);
  });

  it('of many tasks go so many rows at a time, and nobody can open them meanwhile', async () => {
    const [big, kept] = await startRuns(store, self, 2);
    const task = { state: 'success', round: 1, since: NOW, shards: [] } as const;
    const tasks = Array.from({ length: 25 }, (_, k) => [k, task] as const);
    await end(big, NOW, { tasks });
    await end(kept, NOW + 50, { tasks });
    const rows = async () => (await store.checkStore()).counts.task_run;
    expect(await store.sweepRuns({ before: NOW + 10, limit: 9, most: 10 })).toMatchObject({
      swept: 1,
      remain: true,
    });
    expect([await left(), await rows()]).toEqual([[kept], 40]);
    expect(await store.sweepRemains({ limit: 9, most: 10 })).toEqual({ swept: 10, next: 0 });
    expect(await store.sweepRemains({ limit: 9, most: 10 })).toEqual({ swept: 5, next: undefined });
    expect(await rows()).toBe(25);
    expect(await store.sweepRemains({ limit: 1, most: 10 })).toEqual({ swept: 0, next: kept });
  });

  it('take their reports with them: one that comes later is dropped', async () => {
    const epoch = await joinWorker(store, self);
    const [run] = await startRuns(store, self);
    await end(run);
    await sweep();
    const report = { ...outcomeOf(attemptOf(run), epoch), outcome: { state: 'success' } as const };
    await store.recordElsewhere({ self, reports: [report], now: NOW });
    expect((await store.checkStore()).counts.attempt).toBe(0);
  });

  it('leave a healthy database: the check finds no orphans and the right schema', async () => {
    const workflow = await publish(store);
    await startRuns(store, self, 1, { workflow });
    await store.submitCommand({ command: commandOf(workflow), now: NOW });
    const check = await store.checkStore();
    expect(check.schema.applied).toBe(check.schema.known);
    expect(check.counts).toMatchObject({ run: 1, command: 1, workflow: 1, node: 1 });
    expect(new Set(Object.values(check.orphans))).toEqual(new Set([0]));
  });
});
