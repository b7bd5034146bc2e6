import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import {
  changeOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  scheduleOf,
  startRuns,
} from '../../testing.ts';

describe.each(testDatabases())('lists on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  it('give runs newest first, a page at a time, by workflow and state', async () => {
    const a = await publish(store, 'a');
    const b = await publish(store, 'b');
    const ofA = await startRuns(store, self, 3, { workflow: a });
    const ofB = await startRuns(store, self, 2, { workflow: b });
    await commit(store, self, changeOf(ofA[1], { fields: fieldsOf('failed'), endedAt: NOW }));
    await commit(store, self, changeOf(ofB[0], { fields: fieldsOf('failed'), endedAt: NOW }));
    const ids = async (input: Parameters<Store['listRuns']>[0]) =>
      (await store.listRuns(input)).map(({ id }) => id);
    const all = [...ofA, ...ofB].toReversed();
    expect(await ids({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await ids({ limit: 2, before: all[1] })).toEqual(all.slice(2, 4));
    expect(await ids({ limit: 9, workflow: a })).toEqual(ofA.toReversed());
    expect(await ids({ limit: 9, state: 'failed' })).toEqual([ofB[0], ofA[1]]);
    expect(await ids({ limit: 9, state: 'failed', workflow: a })).toEqual([ofA[1]]);
    expect(await ids({ limit: 9, state: 'running', workflow: b })).toEqual([ofB[1]]);
    expect(await ids({ limit: 9, state: "x' OR '1' = '1" })).toEqual([]);
  });

  it('give schedules in the order of their ids, a page at a time', async () => {
    const flow = await publish(
      store,
      'flow',
      ['a', 'b', 'c'].map((name) => scheduleOf(name)),
    );
    await publish(store, 'other', [scheduleOf('d')]);
    const first = await store.pageSchedules({ limit: 2 });
    expect(first.map(({ name }) => name)).toEqual(['a', 'b']);
    const rest = await store.pageSchedules({ limit: 9, after: first[1].id });
    expect(rest.map(({ name, workflowName }) => [name, workflowName])).toEqual([
      ['c', 'flow'],
      ['d', 'other'],
    ]);
    expect(await store.pageSchedules({ limit: 9, workflow: flow })).toHaveLength(3);
    expect(await store.readSchedule({ id: rest[0].id })).toMatchObject({ name: 'c', enabled: true });
  });
});
