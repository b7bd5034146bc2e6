import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Self, type Store } from '../index.ts';
import { attemptOf, changeOf, commit, joinMaster, NOW, publish, readyOf, startRuns } from '../testing.ts';

describe.each(testDatabases())('what is set up beside workflows on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const by = { by: 'lw', now: NOW };
  const group = { project: 'default', name: 'db' };

  it('keeps task groups apart by project, with who waits in order', async () => {
    await store.setTaskGroup({ ...group, slots: 1, ...by });
    await store.setTaskGroup({ project: 'default2', name: 'db', slots: 4, ...by });
    const [run] = await startRuns(store, self);
    const needs = (priority: number) => ({
      limits: { needs: [{ name: 'task group default/db', priority }] },
    });
    const places = [1, 3, 2].map((priority, k) => readyOf(attemptOf(run, k), needs(priority)));
    await commit(store, self, changeOf(run, { enqueue: places }));
    expect(await store.listTaskGroups({ project: 'default' })).toEqual([
      { ...group, slots: 1, held: 1, waiting: 2 },
    ]);
    expect(await store.listTaskGroups({})).toHaveLength(2);
    const waiters = await store.listGroupWaiters({ ...group, limit: 10 });
    expect(waiters.map(({ task }) => task)).toEqual([2, 1]);
    const answer = await commit(store, self, changeOf(run, { admit: [attemptOf(run, 1)] }));
    expect(answer).toMatchObject({ admitted: 0 });
    expect(await store.listTaskGroups({ project: 'default' })).toMatchObject([{ held: 2, waiting: 1 }]);
    expect(await store.deleteTaskGroup({ ...group, ...by })).toBe(true);
    expect(await store.deleteTaskGroup({ ...group, ...by })).toBe(false);
    expect(await store.readQueuePlace(attemptOf(run, 2))).toMatchObject({ group: 'default' });
  });

  it('keeps environments and parameters by revision', async () => {
    const environment = { description: '', variables: { A: '1' }, workerGroups: ['gpu'] };
    const set = (revision?: number) => store.setEnvironment({ name: 'prod', environment, revision, ...by });
    expect(await set(0)).toEqual({ name: 'prod', ...environment, revision: 1, changedAt: NOW });
    await expect(set(0)).rejects.toThrow(Conflict);
    expect(await set(1)).toMatchObject({ revision: 2 });
    expect(await store.readEnvironments({ names: ['prod', 'none'] })).toMatchObject([environment]);
    expect(await store.setClusterParams({ params: { a: '1' }, revision: 0, ...by })).toMatchObject({
      revision: 1,
    });
    await expect(store.setClusterParams({ params: {}, revision: 0, ...by })).rejects.toThrow(Conflict);
    await publish(store);
    expect(await store.deleteEnvironment({ name: 'prod', ...by })).toBe(true);
    expect(await store.listEnvironments()).toEqual([]);
    expect((await store.listAudit({ limit: 10 })).map(({ action }) => action)).toEqual([
      'environment.delete',
      'parameters.set',
      'environment.set',
      'environment.set',
    ]);
  });
});
