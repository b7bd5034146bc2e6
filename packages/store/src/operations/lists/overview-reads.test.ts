import type { RunState } from '@orrery/core/state';
import { testDatabases } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
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
  scheduleOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('what is going on, on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  const settle = (run: number, state: RunState, reason?: string) =>
    commit(
      store,
      self,
      changeOf(run, {
        fields: fieldsOf(state),
        endedAt: NOW,
        tasks: reason ? [[0, { state: 'failed', round: 1, since: NOW, shards: [], reason }]] : [],
      }),
    );

  it('counts what is open of one project', async () => {
    expect(await store.hasEverRun()).toBe(false);
    const workflow = await publish(store);
    const [a, b] = await startRuns(store, self, 2, { workflow });
    await settle(a, 'failed');
    await store.submitCommands({ commands: [commandOf(workflow)], now: NOW + 5 });
    const limits = { needs: [{ name: 'one', slots: 1 }] };
    const enqueue = [
      readyOf(attemptOf(b, 0)),
      ...[1, 2].map((task) => readyOf(attemptOf(b, task), { limits })),
    ];
    await commit(store, self, changeOf(b, { enqueue }));
    expect(await store.hasEverRun()).toBe(true);
    expect(await store.readLoad({ project: 'default' })).toEqual({
      runs: [{ state: 'running', count: 1 }],
      moreRuns: false,
      commands: 1,
      oldestCommand: NOW + 5,
      limited: 1,
      oldestLimited: NOW,
    });
    expect(await store.readReady({ project: 'default' })).toEqual({ count: 2, oldest: NOW });
    expect(await store.lastFailureAt({ project: 'default' })).toBe(NOW);
    expect(await store.readLoad({ project: 'other' })).toEqual({
      runs: [],
      moreRuns: false,
      commands: 0,
      oldestCommand: null,
      limited: 0,
      oldestLimited: null,
    });
    expect(await store.readReady({ project: 'other' })).toEqual({ count: 0, oldest: null });
    expect(await store.lastFailureAt({ project: 'other' })).toBe(null);
  });

  it('counts what is open, and since when the first waits', async () => {
    const workflow = await publish(store);
    const [a, b] = await startRuns(store, self, 3, { workflow });
    await settle(a, 'success');
    await commit(store, self, changeOf(b, { fields: fieldsOf('pausing') }));
    await store.submitCommands({ commands: [commandOf(workflow)], now: NOW + 5 });
    const limits = { needs: [{ name: 'one', slots: 1 }] };
    const enqueue = [0, 1, 2].map((task) => readyOf(attemptOf(b, task), { limits }));
    await commit(store, self, changeOf(b, { enqueue }));
    const load = await store.readLoad();
    expect(load.runs.toSorted((x, y) => x.state.localeCompare(y.state))).toEqual([
      { state: 'pausing', count: 1 },
      { state: 'running', count: 1 },
    ]);
    expect(load).toMatchObject({ commands: 1, oldestCommand: NOW + 5, limited: 2, oldestLimited: NOW });
    expect(await store.listFullLimits({ limit: 5 })).toEqual([
      { name: 'one', slots: 1, held: 1, waiting: 2, oldest: NOW },
    ]);
    expect(await store.listHolders({ name: 'one', limit: 5 })).toEqual([
      { run: b, task: 0, workflow, version: 1, project: 'default', since: null },
    ]);
  });

  it('knows the queue of every worker group', async () => {
    await joinWorker(store, self, 'w9');
    const [run] = await startRuns(store, self);
    const enqueue = ['gpu', 'default', 'gpu'].map((workerGroup, task) =>
      readyOf(attemptOf(run, task), { workerGroup }),
    );
    const meant = readyOf(attemptOf(run, 5), { workerGroup: 'other', target: 'w9' });
    await commit(store, self, changeOf(run, { enqueue: [...enqueue, meant] }));
    const queues = await store.listQueues({ limit: 9 });
    expect(queues.toSorted((x, y) => x.count - y.count)).toEqual([
      { group: 'default', count: 1, oldest: NOW },
      { group: 'gpu', count: 2, oldest: NOW },
    ]);
  });

  it('knows what workers are busy with, and how long attempts waited for one', async () => {
    const epoch = await joinWorker(store, self);
    const workflow = await publish(store);
    const [run] = await startRuns(store, self, 1, { workflow });
    const enqueue = [0, 1].map((task) => readyOf(attemptOf(run, task)));
    await commit(store, self, changeOf(run, { enqueue }));
    await takeFor(store, self, epoch, 1);
    await commit(
      store,
      self,
      changeOf(run, { outcomes: [outcomeOf(attemptOf(run, 0), epoch, { startedAt: NOW + 2 })] }),
    );
    expect(await store.listAssigned({ workers: ['w1', 'w2'], limit: 5 })).toEqual([
      { run, task: 1, workflow, version: 1, project: 'default' },
    ]);
    expect(await store.readStartDelays({ limit: 9 })).toEqual([0]);
    expect(await store.readStartTimes({ run, from: 0, to: 9 })).toEqual([
      { task: 0, number: 1, startedAt: NOW + 2 },
    ]);
  });

  it('has the failures that nothing has mended since', async () => {
    const a = await publish(store, 'a');
    const b = await publish(store, 'b');
    const ofA = await startRuns(store, self, 3, { workflow: a, name: 'a' });
    const ofB = await startRuns(store, self, 3, { workflow: b, name: 'b', trigger: 'tick' });
    await settle(ofA[0], 'failed', 'first');
    await settle(ofA[1], 'success');
    await settle(ofA[2], 'failed', 'second');
    await settle(ofB[0], 'broken');
    await settle(ofB[1], 'stopped');
    const failures = await store.listFailures({ since: 0, limit: 100 });
    expect(failures.map(({ id }) => id).sort()).toEqual([ofA[2], ofB[0]].sort());
    expect(failures.find(({ id }) => id === ofA[2])).toMatchObject({
      name: 'a',
      trigger: 'manual',
      state: 'failed',
      endedAt: NOW,
      task: { task: 0, body: expect.stringContaining('second') },
    });
    const [byHand] = await startRuns(store, self, 1, { workflow: b, trigger: 'manual' });
    await settle(byHand, 'success');
    expect(await store.listFailures({ since: 0, limit: 100 })).toHaveLength(2);
    await settle(ofB[2], 'success');
    expect((await store.listFailures({ since: 0, limit: 100 })).map(({ id }) => id)).toEqual([ofA[2]]);
    expect(await store.listFailures({ since: NOW + 1, limit: 100 })).toEqual([]);
    expect(await store.listFailures({ since: 0, project: 'other', limit: 100 })).toEqual([]);
    expect(await store.lastFailureAt()).toBe(NOW);
  });

  it('has skipped ticks, publications and nodes that were lost', async () => {
    const workflow = await publish(store, 'flow', [scheduleOf()]);
    const [schedule] = await store.listSchedules({ workflow });
    const skipped = { from: NOW + 1, to: NOW + 2, count: 2, reason: 'no master was alive' };
    await fireTick(store, {
      self,
      schedule: schedule.id,
      version: schedule.version,
      seen: schedule.firedUntil,
      firedUntil: NOW + 2,
      nextDue: null,
      ticks: [],
      skipped,
      now: NOW + 3,
    });
    expect(await store.listSkips({ since: NOW, limit: 9 })).toEqual([
      {
        schedule: schedule.id,
        project: 'default',
        workflow: 'flow',
        name: 'often',
        from: NOW + 1,
        to: NOW + 2,
        count: 2,
        reason: 'no master was alive',
        at: NOW + 3,
      },
    ]);
    expect(await store.listSkips({ since: NOW + 4, limit: 9 })).toEqual([]);
    expect(await store.listPublications({ limit: 9 })).toMatchObject([
      { project: 'default', name: 'flow', version: 1, author: 'someone', at: NOW },
    ]);
    const other = await joinMaster(store, 'm2');
    await store.fence({ self, peer: { id: 'm2', epoch: other.epoch, beat: 0 }, now: NOW + 9 });
    const epoch = await joinWorker(store, self);
    await store.loseWorker({ self, worker: 'w1', epoch, beat: 0, now: NOW + 9 });
    const history = await store.listHistory({ limit: 9 });
    expect(history.map(({ kind, subject, action, actor }) => [kind, subject, action, actor])).toEqual([
      ['worker', 'w1', 'lost', 'm1'],
      ['worker', 'w1', 'joined', 'm1'],
      ['node', 'm2', 'fenced', 'm1'],
      ['node', 'm2', 'joined', 'm2'],
      ['node', 'm1', 'joined', 'm1'],
    ]);
    expect(await store.listNodeHistory({ limit: 2 })).toEqual(history.slice(0, 2));
    expect(await store.listNodeHistory({ node: 'm2', before: history[2].seq, limit: 9 })).toEqual([
      history[3],
    ]);
    const of = [
      { kind: 'node', subject: 'm2' },
      { kind: 'node', subject: 'm1' },
      { kind: 'worker', subject: 'w1' },
    ] as const;
    expect(
      (await store.lastEntries({ of })).map(({ subject, action }) => `${subject} ${action}`).sort(),
    ).toEqual(['m1 joined', 'm2 fenced', 'w1 lost']);
  });

  it('mutes what people have seen, and says who did', async () => {
    const mute = { id: 'failed-1', actor: 'lw', at: NOW, until: NOW + 9, seen: 3, reason: 'known' };
    await store.muteNeed(mute);
    await store.muteNeed({ ...mute, until: null, seen: 4 });
    await store.muteNeed({ ...mute, id: 'failed-2' });
    const list = await store.listMutes();
    expect(list.toSorted((x, y) => x.id.localeCompare(y.id))).toEqual([
      { ...mute, until: null, seen: 4 },
      { ...mute, id: 'failed-2' },
    ]);
    expect(await store.sweepMutes({ now: NOW + 10, age: 1_000 })).toBe(1);
    expect(await store.unmuteNeed({ id: 'failed-1', actor: 'xy', now: NOW })).toBe(true);
    expect(await store.unmuteNeed({ id: 'failed-1', actor: 'xy', now: NOW })).toBe(false);
    expect(await store.listMutes()).toEqual([]);
    const history = await store.listHistory({ of: { kind: 'need', subject: 'failed-1' }, limit: 9 });
    expect(history.map(({ action, actor }) => [action, actor])).toEqual([
      ['unmute', 'xy'],
      ['mute', 'lw'],
      ['mute', 'lw'],
    ]);
  });

  it('finds things by a part of their names', async () => {
    await publish(store, 'daily-orders', [scheduleOf('Orders_at_6')]);
    await publish(store, 'orders');
    await joinWorker(store, self, 'w-orders-1');
    const found = await store.findByName({ text: 'ORDERS', limit: 9 });
    expect(found.workflows.map(({ name }) => name)).toEqual(['orders', 'daily-orders']);
    expect(found.schedules.map(({ name }) => name)).toEqual(['Orders_at_6']);
    expect(found.workers.map(({ id }) => id)).toEqual(['w-orders-1']);
    expect(found.nodes).toEqual([]);
    expect((await store.findByName({ text: 'm1:1', limit: 9 })).nodes).toMatchObject([{ id: 'm1' }]);
    expect((await store.findByName({ text: 's_a', limit: 9 })).schedules).toHaveLength(1);
    expect((await store.findByName({ text: 'a_l', limit: 9 })).workflows).toEqual([]);
    expect((await store.findWorkflows({ text: 'ders', limit: 9 })).map(({ name }) => name)).toEqual([
      'daily-orders',
      'orders',
    ]);
    expect(await store.findWorkflows({ text: 'dlyord', limit: 9 })).toEqual([]);
    expect((await store.findByName({ text: 'orders', project: 'x', limit: 9 })).workflows).toEqual([]);
    expect((await store.findByName({ text: 'orders', limit: 1 })).workflows).toHaveLength(1);
  });

  it('finds names by their letters in order and by their words in any order, after those that contain the text', async () => {
    await publish(store, 'daily-orders');
    await publish(store, 'dlyord');
    await store.saveDraft({
      project: 'p',
      name: 'daily-refunds',
      body: 'x',
      base: null,
      revision: 0,
      author: 'lw',
      now: NOW,
    });
    await joinWorker(store, self, 'w-1');
    await store.setTaskGroup({ project: 'p', name: 'ware_house', slots: 2, by: 'lw', now: NOW });
    const names = async (text: string) =>
      (await store.findByName({ text, limit: 9 })).workflows.map(({ name }) => name);
    expect(await names('dlyord')).toEqual(['dlyord', 'daily-orders']);
    expect(await names('orders  daily')).toEqual(['daily-orders']);
    expect(await names('dlyrefu')).toEqual(['daily-refunds']);
    expect(await names('do')).toEqual([]);
    expect(await names('ord%ly')).toEqual([]);
    const groups = async (text: string, project?: string) =>
      (await store.findByName({ text, project, limit: 9 })).taskGroups;
    expect(await groups('whouse')).toEqual([{ project: 'p', name: 'ware_house' }]);
    expect(await groups('warexhouse')).toEqual([]);
    expect(await groups('task')).toEqual([]);
    expect(await groups('ware', 'q')).toEqual([]);
    expect((await store.findByName({ text: 'dflt', limit: 9 })).workerGroups).toEqual(['default']);
    expect((await store.findByName({ text: 'gpu', limit: 9 })).workerGroups).toEqual([]);
  });
});
