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
  scheduleOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('reading by id on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  it('gives runs with their revisions, queued ones as their commands, and leaves out what is not there', async () => {
    const [one, two] = await startRuns(store, self, 2);
    await commit(store, self, changeOf(two, { fields: fieldsOf('running') }));
    const workflow = await publish(store, 'later');
    const [queued] = await store.submitCommands({ commands: [commandOf(workflow)], now: NOW });
    const { runs, queued: waiting } = await store.readRunsById({ ids: [two, queued, one, 999_999] });
    const [first, second] = runs.toSorted((a, b) => a.id - b.id);
    expect([first.id, second.id, second.state]).toEqual([one, two, 'running']);
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(first.round).toBe(1);
    expect(waiting).toEqual([
      { run: queued, createdAt: NOW, command: expect.objectContaining({ workflow, name: 'flow' }) },
    ]);
  });

  it('gives task runs of several runs', async () => {
    const [one, two] = await startRuns(store, self, 2);
    const task = { round: 1, since: NOW, shards: [] };
    const tasks = [
      [0, { ...task, state: 'running' }],
      [3, { ...task, state: 'success' }],
    ] as const;
    await commit(store, self, changeOf(one, { tasks }), changeOf(two, { tasks }));
    const asked = [
      { run: one, task: 3 },
      { run: two, task: 0 },
      { run: two, task: 1 },
    ];
    const found = await store.readTaskRuns({ tasks: asked });
    expect(found.map(({ run, task, state }) => [run, task, state]).toSorted()).toEqual(
      [
        [one, 3, 'success'],
        [two, 0, 'running'],
      ].toSorted(),
    );
    expect(await store.readTaskRuns({ tasks: [] })).toEqual([]);
  });

  it('gives the starts of attempts that have ended', async () => {
    const epoch = await joinWorker(store, self, 'w1', { slots: 2 });
    const [one, two] = await startRuns(store, self, 2);
    for (const run of [one, two]) {
      await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 0))] }));
      await takeFor(store, self, epoch, run === one ? 1 : 2);
    }
    await commit(store, self, changeOf(one, { outcomes: [outcomeOf(attemptOf(one, 0), epoch)] }));
    const tasks = [one, two].map((run) => ({ run, task: 0 }));
    const [start, ...more] = await store.readStartsOf({ tasks });
    expect(start).toMatchObject({ run: one, task: 0, startedAt: expect.any(Number) });
    expect(more).toEqual([]);
  });

  it('gives workflows with their live version and draft, and schedules', async () => {
    const id = await publish(store, 'timed', [scheduleOf()]);
    const draft = {
      project: 'default',
      name: 'timed',
      body: '{}',
      base: 1,
      revision: 0,
      author: 'a',
      now: NOW,
    };
    expect(await store.readWorkflowsById({ ids: [id] })).toEqual([
      { id, project: 'default', name: 'timed', live: 1, draft: null, offlineSince: null },
    ]);
    await store.saveDraft(draft);
    expect((await store.readWorkflowsById({ ids: [id, 999_999] })).map((row) => row.draft)).toEqual([1]);
    const [{ id: schedule }] = await store.listSchedules({ workflow: id });
    expect(await store.readSchedulesById({ ids: [schedule] })).toEqual([
      {
        id: schedule,
        workflow: id,
        name: 'often',
        enabled: 1,
        version: 1,
        nextDue: NOW + 1_000,
        firedUntil: NOW,
      },
    ]);
  });

  it('tells those who watch after each write, until they stop', async () => {
    let told = 0;
    const stop = store.onWrite(() => told++);
    await publish(store);
    expect(told).toBe(1);
    await store.listNodes();
    expect(told).toBe(1);
    stop();
    await publish(store, 'another');
    expect(told).toBe(1);
  });
});
