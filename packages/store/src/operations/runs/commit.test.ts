import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, type Self, type Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('a commit on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let worker: number;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    worker = await joinWorker(store, self);
    [run] = await startRuns(store, self);
  });
  afterAll(close);

  /** Puts attempts in the queue and on the worker. */
  const assign = async (...tasks: number[]) => {
    await commit(store, self, changeOf(run, { enqueue: tasks.map((task) => readyOf(attemptOf(run, task))) }));
    await takeFor(store, self, worker, tasks[0] + 1);
    return tasks.map((task) => attemptOf(run, task));
  };

  it('writes everything that decisions change, in one', async () => {
    const [attempt] = await assign(0);
    await store.sendControl({
      run,
      message: { type: 'control', control: { type: 'pause' }, by: 'me' },
      now: NOW,
    });
    const [{ seq }] = await readInboxes(store, self);
    const [other] = await startRuns(store, self);
    await commit(
      store,
      self,
      changeOf(run, {
        fields: fieldsOf('pausing'),
        startedAt: NOW + 1,
        tasks: [[3, { state: 'submitted', round: 1, since: NOW, shards: [], reason: 'why not' }]],
        enqueue: [readyOf(attemptOf(run, 3))],
        outcomes: [outcomeOf(attempt, worker, { error: 'none' })],
        consumed: [seq],
        commands: [commandOf(1)],
        messages: [{ run: other, message: { type: 'admitted' } }],
        fact: { workflow: 5, businessTime: 7, round: 1, state: 'success', tasks: '{"a":"success"}' },
        event: '{"what":"much"}',
      }),
    );
    const read = await store.readRun({ id: run });
    expect(read?.run).toMatchObject({ state: 'pausing', startedAt: NOW, endedAt: null, owner: 'm1' });
    expect(read?.tasks).toEqual([
      { task: 3, state: 'submitted', round: 1, since: NOW, body: '{"shards":[],"reason":"why not"}' },
    ]);
    expect(read?.queued).toMatchObject([{ task: 3, worker: null }]);
    expect(await store.listAttempts({ run })).toMatchObject([
      { task: 0, state: 'success', error: 'none', late: 0 },
    ]);
    expect((await readInboxes(store, self)).map((entry) => entry.run)).toEqual([other]);
    expect(await store.listCommands({ limit: 9 })).toHaveLength(1);
    expect(await store.readFacts({ wanted: [{ workflow: 5, from: 7, to: 8 }] })).toMatchObject([
      { run, state: 'success', tasks: '{"a":"success"}', endedAt: NOW },
    ]);
  });

  it('gives back on loading what was written', async () => {
    const fields = { ...fieldsOf('running'), params: { a: 'ü "quoted"' } };
    const task = { state: 'running', round: 2, since: 5, shards: [], outputs: { x: '1' } } as const;
    await commit(
      store,
      self,
      changeOf(run, {
        fields,
        tasks: [
          [1, task],
          [0, task],
        ],
        enqueue: [readyOf(attemptOf(run, 1))],
      }),
    );
    const [loaded] = await store.loadRuns({ runs: [run, 999_999] });
    expect(loaded.rows).toEqual({
      fields,
      tasks: [
        [0, task],
        [1, task],
      ],
    });
    expect(loaded.alive).toEqual([attemptOf(run, 1)]);
  });

  it('overwrites a task run with its newest state', async () => {
    const at = (state: 'submitted' | 'success') => [0, { state, round: 1, since: NOW, shards: [] }] as const;
    await commit(store, self, changeOf(run, { tasks: [at('submitted')] }));
    await commit(store, self, changeOf(run, { tasks: [at('success')] }));
    expect((await store.readRun({ id: run }))?.tasks).toMatchObject([{ task: 0, state: 'success' }]);
  });

  it('ends a run, and clears its end when it is reopened', async () => {
    await commit(store, self, changeOf(run, { fields: fieldsOf('success'), startedAt: 99, endedAt: 22 }));
    expect((await store.readRun({ id: run }))?.run).toMatchObject({ startedAt: NOW, endedAt: 22 });
    await commit(store, self, changeOf(run, { fields: fieldsOf('running'), endedAt: null }));
    expect((await store.readRun({ id: run }))?.run).toMatchObject({ startedAt: NOW, endedAt: null });
  });

  it('refuses the whole batch when an assignment is gone, and names the runs', async () => {
    const [attempt] = await assign(0);
    const [other] = await startRuns(store, self);
    await store.loseWorker({ self, worker: 'w1', epoch: worker, beat: 0, now: NOW });
    const refused = commit(
      store,
      self,
      changeOf(other, { fields: fieldsOf('pausing') }),
      changeOf(run, { fields: fieldsOf('pausing'), outcomes: [outcomeOf(attempt, worker)] }),
    );
    await expect(refused).rejects.toMatchObject({ tag: 'conflict', runs: [run] });
    expect((await store.readRun({ id: other }))?.run.state).toBe('running');
    expect(await store.listAttempts({ run })).toMatchObject([{ state: 'lost' }]);
  });

  it('refuses an outcome of another worker, or of another life of it', async () => {
    const [attempt] = await assign(0);
    for (const wrong of [{ worker: 'w2' }, { workerEpoch: worker + 1 }]) {
      const outcomes = [outcomeOf(attempt, worker, wrong)];
      await expect(commit(store, self, changeOf(run, { outcomes }))).rejects.toThrow(Conflict);
    }
    await commit(store, self, changeOf(run, { outcomes: [outcomeOf(attempt, worker)] }));
  });

  it('records a late outcome beside what counts, and takes its assignment away', async () => {
    const [attempt] = await assign(0);
    const late = outcomeOf(attempt, worker, { late: true });
    await commit(store, self, changeOf(run, { outcomes: [late] }));
    expect((await store.readRun({ id: run }))?.queued).toEqual([]);
    expect(await store.listAttempts({ run })).toMatchObject([{ state: 'success', late: 1, lateState: null }]);
    await commit(store, self, changeOf(run, { outcomes: [{ ...late, state: 'failed' }] }));
    await commit(store, self, changeOf(run, { outcomes: [{ ...late, state: 'killed' }] }));
    expect(await store.listAttempts({ run })).toMatchObject([{ state: 'success', lateState: 'failed' }]);
  });

  it('is refused for a run that is not owned, even if it changes no field of it', async () => {
    const other = await joinMaster(store, 'm2');
    const [its] = await startRuns(store, other);
    await expect(commit(store, self, changeOf(run), changeOf(its))).rejects.toMatchObject({ runs: [its] });
    // Named exactly, although by then the commit has released its own run.
    const mixed = [changeOf(run, { release: true }), changeOf(its, { fields: fieldsOf('running') })];
    await expect(commit(store, self, ...mixed)).rejects.toMatchObject({ runs: [its] });
    await commit(store, self, changeOf(run, { release: true }));
    await expect(commit(store, self, changeOf(run))).rejects.toMatchObject({ tag: 'conflict', runs: [run] });
    expect(await store.loadRuns({ runs: [run] })).toEqual([]);
  });

  it('releases a run, which is claimed again once it is told something', async () => {
    await commit(store, self, changeOf(run, { fields: fieldsOf('paused'), release: true }));
    const other = await joinMaster(store, 'm2');
    expect(await claimOrphans(store, other, 9)).toEqual([]);
    await store.sendControl({
      run,
      message: { type: 'control', control: { type: 'resume' }, by: 'me' },
      now: NOW,
    });
    expect(await claimOrphans(store, other, 9)).toEqual([run]);
    expect(await claimOrphans(store, self, 9)).toEqual([]);
  });

  it('claims inboxes oldest message first', async () => {
    const runs = await startRuns(store, self, 3);
    await commit(store, self, ...runs.map((id) => changeOf(id, { release: true })));
    const tell = (id: number) =>
      store.sendControl({
        run: id,
        message: { type: 'control', control: { type: 'stop' }, by: '' },
        now: NOW,
      });
    for (const id of [runs[1], runs[2], runs[0], runs[1]]) await tell(id);
    expect(await claimOrphans(store, self, 1)).toEqual([runs[1]]);
    expect(await claimOrphans(store, self, 1)).toEqual([runs[2]]);
    expect(await claimOrphans(store, self, 9)).toEqual([runs[0]]);
  });

  it('withdraws what is queued, marks what is assigned to be killed, and knows what is nowhere', async () => {
    await assign(0, 1);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run, 2))] }));
    const { withdrawn } = await commit(
      store,
      self,
      changeOf(run, {
        withdraw: [0, 1, 2, 3].map((task) => ({ ...attemptOf(run, task), kill: task !== 1 })),
      }),
    );
    expect(withdrawn.map(({ task }) => task)).toEqual([2, 3]);
    const held = [attemptOf(run, 0), attemptOf(run, 1)];
    const beat = await store.beatWorker({
      self,
      worker: 'w1',
      epoch: worker,
      take: 1,
      held,
      load: {},
      now: NOW,
    });
    expect(beat).toEqual({ welcome: true, kill: [attemptOf(run, 0)], end: [] });
    expect((await takeFor(store, self, worker, 9)).assignments).toEqual([]);
  });

  it('takes back an attempt that it queues itself', async () => {
    const attempt = attemptOf(run);
    const { withdrawn } = await commit(
      store,
      self,
      changeOf(run, { enqueue: [readyOf(attempt)], withdraw: [{ ...attempt, kill: true }] }),
    );
    expect(withdrawn).toEqual([attempt]);
    expect((await takeFor(store, self, worker, 1)).assignments).toEqual([]);
  });

  it('keeps what a program printed, a zero byte and half a character too', async () => {
    const [attempt] = await assign(0);
    const logTail = 'zero \0, half \ud83d, whole \u{1f600}';
    await commit(store, self, changeOf(run, { outcomes: [outcomeOf(attempt, worker, { logTail })] }));
    const kept = await store.readLogTail(attempt);
    expect(kept).toMatch(/^zero ., half .+, whole \u{1f600}$/su);
  });

  it('queues an attempt once', async () => {
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run))] }));
    await expect(
      commit(store, self, changeOf(run, { enqueue: [readyOf(attemptOf(run))] })),
    ).rejects.toThrow();
    expect((await takeFor(store, self, worker, 1)).assignments).toHaveLength(1);
  });
});
