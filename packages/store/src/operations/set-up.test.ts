import type { Workflow } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Self, type Store } from '../index.ts';
import {
  attemptOf,
  changeOf,
  commit,
  joinMaster,
  NOW,
  publish,
  readyOf,
  startRuns,
  workflowOf,
} from '../testing.ts';

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
    const environment = {
      description: '',
      variables: { A: '1' },
      workerGroups: ['gpu'],
      projects: ['sales'],
    };
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
      'workflow.publish',
      'parameters.set',
      'environment.set',
      'environment.set',
      'node.join',
    ]);
  });

  it('keeps worker groups to projects, tells takes of them, and publishes nothing into others', async () => {
    const set = (projects: string[], revision?: number) =>
      store.setWorkerGroup({ name: 'gpu', projects, revision, ...by });
    expect(await set(['sales'], 0)).toEqual({
      name: 'gpu',
      projects: ['sales'],
      revision: 1,
      changedAt: NOW,
    });
    await expect(set([], 0)).rejects.toThrow(Conflict);
    const [run] = await startRuns(store, self);
    const { epoch } = await store.joinWorker({
      ...{ self, worker: 'w', address: 'a:1', slots: 4, groups: ['gpu', 'default'], now: NOW },
    });
    await commit(
      store,
      self,
      changeOf(run, { enqueue: [readyOf(attemptOf(run, 0), { workerGroup: 'gpu' })] }),
    );
    const open = { self, worker: 'w', epoch, number: 1, room: 4, groups: ['gpu', 'default'], now: NOW };
    const kept = [{ name: 'gpu', projects: ['sales'] }];
    expect(await store.take(open)).toMatchObject({ assignments: [{ take: 1 }], kept });
    // Asked again, it says the same.
    expect(await store.take(open)).toMatchObject({ assignments: [{ take: 1 }], kept });
    const tasks = [{ name: 't', type: 'shell', workerGroup: 'gpu' }] as unknown as Workflow['tasks'];
    const flow = { ...workflowOf('uses-it'), tasks };
    const version = { hash: 'x', source: '', note: '', author: 'lw', due: {}, now: NOW };
    await expect(store.publishWorkflow({ ...version, workflow: flow })).rejects.toThrow('is not open to');
    await store.publishWorkflow({ ...version, workflow: { ...flow, project: 'sales' } });
    await set([]);
    await store.publishWorkflow({ ...version, workflow: flow });
    expect((await store.take({ ...open, number: 2 })).kept).toBeUndefined();
    expect(await store.listWorkerGroups()).toMatchObject([{ name: 'gpu', projects: [], revision: 2 }]);
  });

  it('lists the secrets and environments that live workflows need, with the last run of one of them', async () => {
    const tasks = [
      { name: 't', type: 'shell', environment: 'prod', with: { script: 'echo ${secret.api-key}' } },
    ] as unknown as Workflow['tasks'];
    const version = { source: '', note: '', author: 'lw', due: {}, now: NOW };
    const ids: number[] = [];
    for (const name of ['one', 'two']) {
      const workflow = { ...workflowOf(name), tasks };
      ids.push((await store.publishWorkflow({ ...version, hash: name, workflow })).id);
    }
    const environment = { description: '', variables: {}, workerGroups: [], projects: [] };
    await store.setEnvironment({ name: 'prod', environment, ...by });
    const use = { workflows: 2, workflow: 'default/one', lastRun: null };
    const uses = [
      { ...use, kind: 'environment', project: '', name: 'prod' },
      { ...use, kind: 'secret', project: 'default', name: 'api-key' },
    ];
    expect(await store.listNeedUses({})).toEqual(uses);
    expect(await store.listNeedUses({ project: 'default' })).toEqual(uses);
    expect(await store.listNeedUses({ project: 'other' })).toEqual([]);
    await startRuns(store, self, 1, { workflow: ids[1] });
    expect(await store.listNeedUses({})).toEqual(uses.map((one) => ({ ...one, lastRun: NOW })));
  });

  it('keeps connections apart by project, by revision, and while a workflow needs them', async () => {
    const key = { project: 'default', name: 'warehouse' };
    const connection = { kind: 'sqlite', description: '', settings: { file: '/data/a.db' } };
    const set = (revision?: number) => store.setConnection({ ...key, connection, revision, ...by });
    expect(await set(0)).toEqual({ ...key, ...connection, revision: 1, changedAt: NOW });
    await expect(set(0)).rejects.toThrow(Conflict);
    expect(await set(1)).toMatchObject({ revision: 2 });
    await store.setConnection({ ...key, project: 'sales', connection, ...by });
    expect(await store.listConnections({})).toHaveLength(2);
    expect(await store.listConnections({ project: 'sales' })).toMatchObject([{ project: 'sales' }]);
    const found = await store.readConnections({ keys: [key, { ...key, name: 'none' }] });
    expect(found).toMatchObject([{ ...key, ...connection }]);
    const flow = workflowOf('uses-it');
    const tasks = [{ ...flow.tasks[0], type: 'sql', with: { connection: 'warehouse', sql: 'SELECT 1' } }];
    const version = { hash: 'x', source: '', note: '', author: 'lw', due: {}, now: NOW };
    await store.publishWorkflow({ ...version, workflow: { ...flow, tasks } });
    await expect(store.deleteConnection({ ...key, ...by })).rejects.toThrow('is used by default/');
    expect(await store.deleteConnection({ ...key, project: 'sales', ...by })).toBe(true);
    expect(await store.deleteConnection({ ...key, project: 'sales', ...by })).toBe(false);
  });
});
