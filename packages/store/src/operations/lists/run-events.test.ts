import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent, RunEventPlace, Self, Store } from '../../index.ts';
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
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('the history of a run on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
  });
  afterAll(close);

  async function lived(): Promise<number> {
    const epoch = await joinWorker(store, self, 'w1', { slots: 1 });
    const workflow = await publish(store);
    const [run] = await startRuns(store, self, 1, { workflow });
    const enqueue = [0, 1].map((task) => readyOf(attemptOf(run, task)));
    await commit(store, self, changeOf(run, { fields: fieldsOf('running'), startedAt: NOW, enqueue }));
    await takeFor(store, self, epoch, 1);
    await store.sendControl({
      run,
      message: { type: 'control', control: { type: 'pause' }, by: 'lw' },
      reason: 'bad input',
      now: NOW + 3,
    });
    await commit(
      store,
      self,
      changeOf(run, {
        fields: fieldsOf('failed'),
        endedAt: NOW + 7,
        tasks: [[0, { state: 'failed', round: 1, since: NOW + 6, shards: [] }]],
        outcomes: [outcomeOf(attemptOf(run, 0), epoch, { state: 'failed', error: 'exit 1' })],
        fact: { workflow, businessTime: 0, round: 1, state: 'failed', tasks: '{}' },
        history: [
          { actor: 'lw', kind: 'run', subject: String(run), action: 'pause-done', body: { round: 1 } },
        ],
      }),
    );
    return run;
  }

  it('has everything that happened, in order, with who did it', async () => {
    const run = await lived();
    const events = await store.listRunEvents({ run, limit: 50 });
    const told = events.map(({ kind, at, task, state, worker, actor }) => [
      kind,
      at - NOW,
      task,
      state,
      worker,
      actor,
    ]);
    expect(told).toEqual([
      ['created', 0, -1, 'manual', null, null],
      ['started', 0, -1, null, null, null],
      ['action', 0, -1, 'pause-done', null, 'lw'],
      ['queued', 0, 0, null, null, null],
      ['queued', 0, 1, null, null, null],
      ['assigned', 0, 0, null, 'w1', null],
      ['round', 0, -1, 'failed', null, null],
      ['action', 3, -1, 'pause', null, 'lw'],
      ['attempt', 5, 0, 'failed', 'w1', null],
      ['task', 6, 0, 'failed', null, null],
      ['ended', 7, -1, 'failed', null, null],
    ]);
    expect(events[8].text).toBe('exit 1');
    expect(JSON.parse(events[7].text ?? '')).toEqual({ control: { type: 'pause' }, reason: 'bad input' });
  });

  it('comes in pages that leave nothing out', async () => {
    const run = await lived();
    const all: RunEvent[] = [];
    let after: RunEventPlace | undefined;
    for (;;) {
      const page = await store.listRunEvents({ run, limit: 3, after });
      all.push(...page);
      const last = page.at(-1);
      if (!last || page.length < 3) break;
      after = [last.at, last.rank, last.task, last.shard, last.number];
    }
    expect(all).toEqual(await store.listRunEvents({ run, limit: 50 }));
    expect(await store.listRunEvents({ run: 999_999, limit: 9 })).toEqual([]);
  });

  it('comes newest first in pages that leave nothing out', async () => {
    const run = await lived();
    const first = await store.listRunEvents({ run, newest: true, limit: 4 });
    const { at, rank, task, shard, number } = first[3];
    const rest = await store.listRunEvents({
      run,
      newest: true,
      limit: 50,
      after: [at, rank, task, shard, number],
    });
    expect([...first, ...rest]).toEqual((await store.listRunEvents({ run, limit: 50 })).toReversed());
  });

  it('keeps rounds that have ended', async () => {
    const workflow = await publish(store);
    const [run] = await startRuns(store, self, 1, { workflow });
    const fact = { workflow, businessTime: 0, round: 1, state: 'failed', tasks: '{}' };
    await commit(store, self, changeOf(run, { fact }));
    expect(await store.listRounds({ run })).toEqual([{ round: 1, state: 'failed', endedAt: NOW }]);
  });

  it('remembers controls of many runs at once, and those that were stopped before they began', async () => {
    const workflow = await publish(store);
    const started = await startRuns(store, self, 2, { workflow });
    const queued = await store.submitCommands({
      commands: [commandOf(workflow), commandOf(workflow)],
      now: NOW,
    });
    const input = { control: { type: 'stop' }, by: 'lw', reason: 'enough', now: NOW } as const;
    const answer = await store.sendControls({ ...input, runs: [...started, ...queued, 999_999, queued[0]] });
    expect(answer.told.map(({ run }) => run).sort()).toEqual([...started].sort());
    expect(answer.told.map(({ owner }) => owner)).toEqual(['m1', 'm1']);
    expect([...answer.withdrawn].sort()).toEqual([...queued].sort());
    expect(answer.missing).toEqual([999_999]);
    expect((await store.readRun({ id: queued[0] }))?.run.state).toBe('stopped');
    expect((await readInboxes(store, self)).map(({ run }) => run).sort()).toEqual([...started].sort());
    for (const run of [...started, ...queued])
      expect(await store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 9 })).toMatchObject([
        { actor: 'lw', action: 'stop', at: NOW },
      ]);
    const all = await store.listHistory({ limit: 3 });
    expect(all).toHaveLength(3);
    // The last of the four, and that the master joined.
    expect(await store.listHistory({ limit: 9, before: all[2].seq })).toHaveLength(2);
    expect(await store.sweepHistory({ before: NOW, limit: 9 })).toBe(0);
    expect(await store.sweepHistory({ before: NOW, most: 100, limit: 9 })).toBe(0);
    expect(await store.sweepHistory({ before: NOW + 1, limit: 3 })).toBe(3);
    expect(await store.listHistory({ limit: 9 })).toHaveLength(2);
  });
});
