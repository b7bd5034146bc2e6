import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Command, RunFilter, Self, Store } from '../../index.ts';
import {
  attemptOf,
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  publish,
  readyOf,
  takeFor,
} from '../../testing.ts';

describe.each(testDatabases())('filters of runs on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let a: number;
  let b: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    a = await publish(store, 'a');
    b = await publish(store, 'b');
  });
  afterAll(close);

  const list = async (filter: RunFilter, more: { queued?: boolean; before?: number } = {}) =>
    store.pageRuns({ filter, queued: false, claimed: true, limit: 50, ...more });
  const ids = async (filter: RunFilter, more = {}) => {
    const { runs, queued } = await list(filter, more);
    return [...runs.map(({ run }) => run.id), ...queued.map(({ id }) => id)].sort((x, y) => x - y);
  };
  const start = async (...commands: Partial<Command>[]) => {
    const all = commands.map((more) => commandOf(more.workflow ?? a, more));
    const runs = await store.submitCommands({ commands: all, now: NOW });
    await claimStarts(store, self, runs.length);
    return runs;
  };
  const fail = (run: number, error: string | null, at = NOW) =>
    commit(store, self, changeOf(run, { fields: fieldsOf('failed'), endedAt: at, error, release: true }));
  const end = (run: number, at: number, outputs: Record<string, string> = {}) =>
    commit(store, self, changeOf(run, { fields: fieldsOf('success'), endedAt: at, outputs, release: true }));

  it('choose by version, by what was given and by tags', async () => {
    const [one, two, three] = await start(
      { version: 1, params: { day: '0814', of: "it's" }, tags: ['nightly', 'eu'] },
      { version: 2, params: { day: '0815' }, tags: ['night'] },
      { version: 3, workflow: b, params: { day: '0814' } },
    );
    expect(await ids({ versions: [1, 3] })).toEqual([one, three]);
    expect(await ids({ versions: [1, 3], workflows: [a] })).toEqual([one]);
    expect(await ids({ params: { day: '0814' } })).toEqual([one, three]);
    expect(await ids({ params: { day: '0814', of: "it's" } })).toEqual([one]);
    expect(await ids({ params: { none: 'x' } })).toEqual([]);
    expect(await ids({ tags: ['nightly'] })).toEqual([one]);
    expect(await ids({ tags: ['night'] })).toEqual([two]);
    expect(await ids({ tags: ['eu', 'nightly'], states: ['running'] })).toEqual([one]);
    expect(await ids({ tags: ['eu', 'night'] })).toEqual([]);
    expect((await list({ tags: ['eu'] })).runs[0].tags).toEqual(['eu', 'nightly']);
  });

  it('choose by how long runs took and waited, also those that go on', async () => {
    const [short, long, going] = await start({}, {}, {});
    await end(short, NOW + 5_000);
    await end(long, NOW + 60_000);
    expect(await ids({ duration: { least: 10_000 }, now: NOW + 1 })).toEqual([long]);
    expect(await ids({ duration: { least: 10_000 }, now: NOW + 20_000 })).toEqual([long, going]);
    expect(await ids({ duration: { most: 5_000 }, now: NOW + 20_000 })).toEqual([short]);
    expect(await ids({ duration: { least: 1, most: 59_999 }, now: NOW + 60_000 })).toEqual([short]);
    const [late] = await store.submitCommands({ commands: [commandOf(a)], now: NOW - 30_000 });
    expect(await ids({ wait: { least: 30_000 }, now: NOW }, { queued: true })).toEqual([late]);
    await claimStarts(store, self, 1);
    expect(await ids({ wait: { least: 30_000 }, now: NOW }, { queued: true })).toEqual([late]);
    expect(await ids({ wait: { most: 0 }, now: NOW })).toEqual([short, long, going]);
  });

  it('choose by owner, and by any worker that had a part in them', async () => {
    const [ended, running, other] = await start({}, {}, {});
    const epoch = await joinWorker(store, self);
    const attempts = [attemptOf(ended), attemptOf(running)];
    await commit(
      store,
      self,
      ...attempts.map((attempt) => changeOf(attempt.run, { enqueue: [readyOf(attempt)] })),
    );
    await takeFor(store, self, epoch, 1);
    await commit(store, self, changeOf(ended, { outcomes: [outcomeOf(attempts[0], epoch)] }));
    await end(ended, NOW + 5);
    expect(await ids({ worker: 'w1' })).toEqual([ended, running]);
    expect(await ids({ worker: 'w1', states: ['success'] })).toEqual([ended]);
    expect(await ids({ worker: 'w2' })).toEqual([]);
    expect(await ids({ owner: 'm1' })).toEqual([running, other]);
    expect(await ids({ owner: 'm1', workflows: [b] })).toEqual([]);
    expect(await ids({ owner: 'm2' })).toEqual([]);
    expect(await ids({ owner: 'm1', states: ['failed'] })).toEqual([]);
  });

  it('choose by the text of an error, and by what errors have in common', async () => {
    const [one, two, three, fine] = await start({}, {}, { workflow: b }, {});
    await fail(one, 'Connection refused db-3:5432');
    await fail(two, 'connection refused db-12:5433');
    await fail(three, 'exit code 2');
    await end(fine, NOW);
    expect(await ids({ error: 'REFUSED' })).toEqual([one, two]);
    expect(await ids({ error: 'db-3' })).toEqual([one]);
    expect(await ids({ error: '%' })).toEqual([]);
    expect(await ids({ fingerprint: 'connection refused db-#:#' })).toEqual([one, two]);
    expect(await ids({ fingerprint: 'exit code #', workflows: [a] })).toEqual([]);
    expect(await ids({ error: 'exit', unowned: true })).toEqual([]);
    const { runs } = await list({ error: 'exit' });
    expect(runs.map(({ run }) => run.state)).toEqual(['failed']);
  });

  it('forget the error of a run that was opened again', async () => {
    const [run] = await start({});
    const change = (more: object) => commit(store, self, changeOf(run, more));
    await change({ fields: fieldsOf('failed'), endedAt: NOW, error: 'exit code 2' });
    await change({ fields: fieldsOf('running'), endedAt: null });
    expect(await ids({ error: 'exit' })).toEqual([]);
    await change({ fields: fieldsOf('stopped'), endedAt: NOW, error: null });
    expect(await ids({ error: 'exit' })).toEqual([]);
    expect(await ids({ states: ['stopped'] })).toEqual([run]);
  });

  it('choose the children of a run', async () => {
    const [parent] = await start({});
    const child = { parent: { run: parent, task: 0, round: 1, element: 0 } };
    const [one, , three] = await start(child, {}, { ...child, workflow: b });
    const [waiting] = await store.submitCommands({ commands: [commandOf(a, child)], now: NOW });
    expect(await ids({ parent })).toEqual([one, three]);
    expect(await ids({ parent }, { queued: true })).toEqual([one, three, waiting]);
    expect(await ids({ parent, workflows: [b] })).toEqual([three]);
    expect(await ids({ parent, states: ['failed'] })).toEqual([]);
    expect(await store.countRuns({ filter: { parent }, queued: true, claimed: true, most: 10 })).toEqual({
      count: 3,
      more: false,
    });
  });

  it('hold for commands that wait', async () => {
    const commands = [
      commandOf(a, { version: 2, params: { day: '1' }, tags: ['x'] }),
      commandOf(a, { version: 3 }),
    ];
    const [one, two] = await store.submitCommands({ commands, now: NOW });
    const queued = { queued: true };
    expect(await ids({ versions: [2] }, queued)).toEqual([one]);
    expect(await ids({ params: { day: '1' } }, queued)).toEqual([one]);
    expect(await ids({ tags: ['x'] }, queued)).toEqual([one]);
    expect(await ids({ versions: [2, 3] }, queued)).toEqual([one, two]);
    for (const filter of [{ owner: 'm1' }, { worker: 'w1' }, { error: 'x' }, { fingerprint: 'x' }])
      expect(await ids(filter, queued)).toEqual([]);
    expect(await ids({ duration: { least: 0 }, now: NOW }, queued)).toEqual([]);
  });

  it('are kept by pictures of the runs too', async () => {
    const [one, two] = await start({ tags: ['x'] }, { workflow: b });
    await end(one, NOW + 5_000);
    const range = { from: NOW, to: NOW + 1_000 };
    const count = async (filter: RunFilter) =>
      (await store.countByTime({ filter: { ...filter, ...range }, width: 1_000 })).counts;
    expect(await count({ tags: ['x'] })).toEqual([{ bucket: 0, state: 'success', count: 1 }]);
    expect(await count({ owner: 'm1' })).toEqual([{ bucket: 0, state: 'running', count: 1 }]);
    const points = (filter: RunFilter) =>
      store.listRunPoints({ filter: { ...filter, ...range }, most: 2_000 });
    expect(await points({})).toMatchObject({ points: [{ id: one }, { id: two }], sampled: 1 });
    expect(await points({ tags: ['x'] })).toEqual({
      points: [{ id: one, state: 'success', createdAt: NOW, startedAt: NOW, endedAt: NOW + 5_000, idle: 0 }],
      sampled: 1,
    });
    expect((await points({ workflows: [b] })).points.map(({ id }) => id)).toEqual([two]);
  });

  it('group runs by workflow, and by error', async () => {
    const [one, two, three, four] = await start({}, {}, { workflow: b, name: 'b' }, {});
    await fail(one, 'exit code 2');
    await fail(two, 'exit code 3');
    await fail(three, 'no such file');
    await end(four, NOW);
    const group = (by: 'workflow' | 'error', filter: RunFilter = {}, limit = 10) =>
      store.groupRuns({ filter, by, limit });
    expect(await group('workflow')).toMatchObject({
      groups: [
        { workflow: a, count: 3, success: 1, failed: 2, stopped: 0, open: 0, first: one, last: four },
        { workflow: b, name: 'default/b', count: 1, failed: 1, first: three, last: three, firstAt: NOW },
      ],
      more: false,
      since: null,
    });
    const { groups } = await group('error');
    expect(groups.map(({ fingerprint, count }) => [fingerprint, count])).toEqual([
      ['exit code #', 2],
      ['no such file', 1],
    ]);
    expect((await group('error', { workflows: [b] })).groups).toMatchObject([{ error: 'no such file' }]);
    expect((await group('error', { workflows: [a, b] })).groups).toHaveLength(2);
    expect(await group('error', {}, 1)).toMatchObject({ groups: [{ count: 2 }], more: true });
    expect((await group('error', { states: ['success'] })).groups).toEqual([]);
  });

  it('look at so many runs a time, group those and say how far back', async () => {
    const [needle] = await start({ params: { day: 'needle' }, tags: ['rare'] });
    const commands = Array.from({ length: 6_000 }, () => commandOf(a));
    for (let k = 0; k < 2; k++) await store.submitCommands({ commands, now: NOW + 1 + k });
    while ((await claimStarts(store, self, 1_000)).length > 0);
    const filter = { params: { day: 'needle' } };
    const first = await list(filter);
    expect([first.runs, first.next !== undefined]).toEqual([[], true]);
    const second = await list(filter, { before: first.next });
    expect(second.runs.map(({ run }) => run.id)).toEqual([needle]);
    // Few runs have tags, so those are found without looking at the others.
    expect((await list({ tags: ['rare'] })).runs.map(({ run }) => run.id)).toEqual([needle]);
    const { groups, since } = await store.groupRuns({ filter: {}, by: 'workflow', limit: 10 });
    expect([groups[0].count, since]).toEqual([10_000, NOW + 1]);
    const range = { from: NOW, to: NOW + 10 };
    const { points, sampled } = await store.listRunPoints({ filter: range, most: 1_000 });
    expect(points.length).toBeLessThanOrEqual(1_000);
    expect(Math.abs(points.length * sampled - 12_001)).toBeLessThan(1_000);
    const few = await store.listRunPoints({ filter: { ...range, tags: ['rare'] }, most: 1_000 });
    expect(few).toMatchObject({ points: [{ id: needle }], sampled: 1 });
  });

  it('find tags that were given later, also to a run that still waits', async () => {
    const [run] = await start({ tags: ['old'] });
    const [waiting] = await store.submitCommands({ commands: [commandOf(a)], now: NOW });
    const tag = (id: number, tags: string[]) => store.setRunTags({ run: id, tags, by: 'me', now: NOW });
    expect(await tag(run, ['b', 'a', 'a'])).toBe(true);
    expect(await tag(waiting, ['a'])).toBe(true);
    expect(await tag(999_999, ['a'])).toBe(false);
    expect(await ids({ tags: ['old'] })).toEqual([]);
    expect(await ids({ tags: ['a'] }, { queued: true })).toEqual([run, waiting]);
    await claimStarts(store, self, 1);
    expect(await ids({ tags: ['a'] })).toEqual([run, waiting]);
    await tag(run, []);
    expect(await ids({ tags: ['a'] })).toEqual([waiting]);
    const events = await store.listRunEvents({ run, limit: 50 });
    expect(events.filter(({ kind }) => kind === 'action').map(({ state, actor }) => [state, actor])).toEqual([
      ['tag', 'me'],
      ['tag', 'me'],
    ]);
  });

  it('keep what a run handed on', async () => {
    const [run] = await start({});
    await end(run, NOW, { rows: '12' });
    expect((await list({})).runs[0].outputs).toEqual({ rows: '12' });
  });

  it('are kept under a name for a project', async () => {
    const view = { project: 'etl', name: 'slow', query: 'duration=10m', badge: true, author: 'me' };
    await store.setView({ view, now: NOW });
    await store.setView({ view: { ...view, project: 'other', badge: false }, now: NOW });
    const saved = { ...view, savedAt: NOW };
    expect(await store.listViews({ project: 'etl', limit: 10 })).toEqual([saved]);
    expect(await store.listViews({ limit: 10 })).toHaveLength(2);
    await store.setView({ view: { ...view, query: 'duration=1h', author: 'you' }, now: NOW + 1 });
    expect(await store.listViews({ project: 'etl', limit: 10 })).toEqual([
      { ...saved, query: 'duration=1h', author: 'you', savedAt: NOW + 1 },
    ]);
    const gone = { project: 'etl', name: 'slow', by: 'me', now: NOW };
    expect([await store.deleteView(gone), await store.deleteView(gone)]).toEqual([true, false]);
  });
});
