import type { RunState } from '@orrery/core/state';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { PagePlace, RunFilter, Self, Store } from '../../index.ts';
import {
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
  startRuns,
  workflowOf,
} from '../../testing.ts';

describe.each(testDatabases())('pages of runs on $name', ({ open, close }) => {
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

  const page = (filter: RunFilter, more: Partial<PagePlace> & { queued?: boolean } = {}) =>
    store.pageRuns({ filter, queued: false, claimed: true, limit: 50, ...more });
  const ids = async (filter: RunFilter) => (await page(filter)).runs.map(({ run }) => run.id).sort(byId);
  const byId = (x: number, y: number) => x - y;
  const settle = (run: number, state: RunState) =>
    commit(store, self, changeOf(run, { fields: fieldsOf(state), endedAt: NOW }));
  const submit = async (workflow: number, now: number, more: object = {}) => {
    const [run] = await store.submitCommands({ commands: [commandOf(workflow, more)], now });
    return run;
  };
  const claim = () => claimStarts(store, self, 1_000);

  it('are newest first, and go on where they ended', async () => {
    const runs = await startRuns(store, self, 5, { workflow: a });
    const first = await page({}, { limit: 2 });
    expect(first.runs.map(({ run }) => run.id).sort(byId)).toEqual(runs.slice(3));
    expect(first.next).toBe(runs[3]);
    const rest = await page({}, { limit: 9, before: first.next });
    expect(rest.runs.map(({ run }) => run.id).sort(byId)).toEqual(runs.slice(0, 3));
    expect(rest.next).toBeUndefined();
    const exact = await page({}, { limit: 3, before: first.next });
    expect([exact.runs.length, exact.next]).toEqual([3, undefined]);
    const filtered = await page({ project: 'default' }, { limit: 5 });
    expect([filtered.runs.length, filtered.next]).toEqual([5, undefined]);
  });

  it('name the task that failed first, also of a run with more tasks than are counted', async () => {
    const [run] = await startRuns(store, self, 1, { workflow: a });
    const task = (state: 'success' | 'failed') => ({ state, round: 1, since: NOW, shards: [] });
    const tasks = Array.from(
      { length: 10_002 },
      (_, k) => [k, task(k < 10_001 ? 'success' : 'failed')] as const,
    );
    await commit(store, self, changeOf(run, { tasks }));
    const [row] = (await page({})).runs;
    expect([row.counts, row.attempts, row.failed?.task]).toEqual([null, null, 10_001]);
  });

  it('are oldest first where that is asked for, queued ones last', async () => {
    const runs = await startRuns(store, self, 4, { workflow: a });
    const waiting = await submit(a, NOW);
    const listed = async (more: Partial<PagePlace>) => {
      const { runs: claimed, queued, next } = await page({}, { oldest: true, queued: true, ...more });
      return { ids: [...claimed.map(({ run }) => run.id), ...queued.map(({ id }) => id)].sort(byId), next };
    };
    expect(await listed({ limit: 3 })).toEqual({ ids: runs.slice(0, 3), next: runs[2] });
    expect(await listed({ limit: 3, after: runs[2] })).toEqual({ ids: [runs[3], waiting], next: undefined });
  });

  it('have only what was asked for', async () => {
    const ofA = await startRuns(store, self, 3, { workflow: a });
    const ofB = await startRuns(store, self, 3, { workflow: b, trigger: 'tick', kind: 'backfill' });
    await settle(ofA[0], 'failed');
    await settle(ofA[1], 'success');
    await settle(ofB[0], 'stopped');
    expect(await ids({ workflows: [a] })).toEqual(ofA);
    expect(await ids({ workflows: [a, b] })).toEqual([...ofA, ...ofB]);
    expect(await ids({ workflows: [] })).toEqual([]);
    expect(await ids({ states: ['failed'] })).toEqual([ofA[0]]);
    expect(await ids({ states: ['failed', 'stopped'] })).toEqual([ofA[0], ofB[0]]);
    expect(await ids({ states: ['success', 'failed'] })).toEqual([ofA[0], ofA[1]]);
    expect(await ids({ states: ['failed', 'stopped'], workflows: [b] })).toEqual([ofB[0]]);
    expect(await ids({ states: ['running'], workflows: [b] })).toEqual(ofB.slice(1));
    expect(await ids({ states: ['running'], workflows: [a], triggers: ['tick'] })).toEqual([]);
    expect(await ids({ triggers: ['tick'] })).toEqual(ofB);
    expect(await ids({ kind: 'backfill', workflows: [a, b] })).toEqual(ofB);
    expect(await ids({ project: 'default' })).toHaveLength(6);
    expect(await ids({ project: "it's k.place ?1" })).toEqual([]);
    expect(await ids({ triggers: ["x' OR '1' = '1"] })).toEqual([]);
  });

  it('find runs by when they were created, of all there are', async () => {
    const runs: number[] = [];
    const commands = Array.from({ length: 1_500 }, () => commandOf(a));
    for (let k = 0; k < 4; k++)
      runs.push(...(await store.submitCommands({ commands, now: NOW + k * 3_600_000 })));
    while ((await claim()).length > 0);
    const between = { from: NOW + 3_600_000, to: NOW + 7_200_000 };
    const seen: number[] = [];
    let before: number | undefined;
    do {
      const { runs: found, next } = await page(between, { limit: 1_000, before });
      seen.push(...found.map(({ run }) => run.id));
      before = next;
    } while (before !== undefined);
    expect(seen.sort(byId)).toEqual(runs.slice(1_500, 3_000));
    expect(await ids({ from: NOW + 99 * 3_600_000 })).toEqual([]);
    expect((await page({ to: NOW + 1 }, { limit: 7 })).runs).toHaveLength(7);
  });

  it('find open runs that nobody owns', async () => {
    const [owned, parked, ended] = await startRuns(store, self, 3, { workflow: a });
    await commit(store, self, changeOf(parked, { release: true }));
    await commit(store, self, changeOf(ended, { fields: fieldsOf('failed'), endedAt: NOW, release: true }));
    expect(await ids({ unowned: true })).toEqual([parked]);
    expect(await ids({})).toContain(owned);
  });

  it('have the commands that wait among them', async () => {
    const first = await submit(a, NOW);
    await claim();
    const waiting = [await submit(a, NOW), await submit(b, NOW, { trigger: 'tick', project: 'etl' })];
    const all = await page({}, { queued: true });
    expect(all.queued.map(({ id }) => id).sort(byId)).toEqual(waiting);
    expect(all.runs.map(({ run }) => run.id)).toEqual([first]);
    const cut = await page({}, { queued: true, limit: 2 });
    expect([cut.queued.length, cut.runs.length, cut.next]).toEqual([2, 0, waiting[0]]);
    const ofB = await page({ workflows: [b], triggers: ['tick'], project: 'etl' }, { queued: true });
    expect(ofB.queued.map(({ id }) => id)).toEqual([waiting[1]]);
  });

  it('say of each run what a list shows', async () => {
    const [run] = await startRuns(store, self, 1, { workflow: a });
    const tried = (attempt: number) => ({ state: 'failed', attempt, failures: attempt, lost: 0 }) as const;
    const task = (state: 'failed' | 'success', since: number, reason?: string) =>
      ({ state, round: 1, since, shards: [tried(1), tried(reason ? 3 : 1)], reason }) as const;
    await commit(
      store,
      self,
      changeOf(run, {
        fields: fieldsOf('failed'),
        endedAt: NOW,
        tasks: [
          [0, task('success', NOW)],
          [1, task('failed', NOW + 9, 'second')],
          [2, task('failed', NOW + 5, 'first')],
        ],
      }),
    );
    const [listed] = (await page({})).runs;
    expect(listed).toMatchObject({
      run: { id: run, state: 'failed', project: 'default' },
      workflow: a,
      priority: 2,
      parent: null,
      fields: { state: 'failed', since: NOW, round: 1 },
      failed: { run, task: 2, since: NOW + 5 },
      attempts: 3,
    });
    expect(JSON.parse(listed.failed?.body ?? '{}').reason).toBe('first');
    expect([...(listed.counts ?? [])].sort((x, y) => x.count - y.count)).toEqual([
      { state: 'success', round: 1, count: 1 },
      { state: 'failed', round: 1, count: 2 },
    ]);
  });

  it('look at so many rows a time, and say where to go on', async () => {
    const [needle] = await startRuns(store, self, 1, { workflow: a, trigger: 'tick' });
    const commands = Array.from({ length: 7_000 }, () => commandOf(a));
    for (let k = 0; k < 3; k++) await store.submitCommands({ commands, now: NOW });
    while ((await claim()).length > 0);
    const first = await page({ triggers: ['tick'] });
    expect(first.runs).toEqual([]);
    expect(first.next).toBeGreaterThan(needle);
    const found: number[] = [];
    let before = first.next;
    for (let pages = 1; before !== undefined; pages++) {
      const next = await page({ triggers: ['tick'] }, { before });
      found.push(...next.runs.map(({ run }) => run.id));
      before = next.next;
      expect(pages).toBeLessThan(5);
    }
    expect(found).toEqual([needle]);
    const [last] = await startRuns(store, self, 1, { workflow: a, trigger: 'webhook' });
    const upward = await page({ triggers: ['webhook'] }, { oldest: true });
    expect(upward.runs).toEqual([]);
    let after = upward.next;
    expect(after).toBeLessThan(last);
    for (let pages = 1; after !== undefined; pages++) {
      const next = await page({ triggers: ['webhook'] }, { oldest: true, after });
      found.push(...next.runs.map(({ run }) => run.id));
      after = next.next;
      expect(pages).toBeLessThan(5);
    }
    expect(found).toEqual([needle, last]);
    const count = (filter: RunFilter) =>
      store.countRuns({ filter, queued: false, claimed: true, most: 10_000 });
    expect(await count({ triggers: ['tick'] })).toEqual({ count: 0, more: true });
    expect(await count({})).toEqual({ count: 10_000, more: true });
    expect(await count({ states: ['failed'] })).toEqual({ count: 0, more: false });
    expect(await count({ workflows: [b] })).toEqual({ count: 0, more: false });
    const { counts, sampled } = await store.countByTime({
      filter: { from: NOW - 1_000, to: NOW + 1_000 },
      width: 1_000,
    });
    expect(sampled).toBeGreaterThan(1);
    expect(new Set(counts.map(({ bucket, state }) => `${bucket} ${state}`))).toEqual(new Set(['1 running']));
    const all = counts.reduce((sum, { count }) => sum + count, 0);
    expect(Math.abs(all - 21_001)).toBeLessThan(3_000);
  });

  it('are counted, with those that wait', async () => {
    const runs = await startRuns(store, self, 3, { workflow: a });
    await settle(runs[0], 'failed');
    await submit(b, NOW);
    const count = (filter: RunFilter, most = 10) =>
      store.countRuns({ filter, queued: true, claimed: true, most });
    expect(await count({})).toEqual({ count: 4, more: false });
    expect(await count({}, 3)).toEqual({ count: 3, more: true });
    expect(await count({ workflows: [b] })).toEqual({ count: 1, more: false });
    expect(await count({ workflows: [a] })).toEqual({ count: 3, more: false });
  });

  it('are counted by time and state', async () => {
    const runs = [await submit(a, NOW), await submit(a, NOW + 900), await submit(b, NOW + 2_100)];
    await claim();
    await settle(runs[0], 'failed');
    await submit(b, NOW + 2_200);
    const counts = async (filter: Omit<RunFilter, 'states'>) =>
      (
        await store.countByTime({ filter: { from: NOW, to: NOW + 3_000, ...filter }, width: 1_000 })
      ).counts.toSorted((x, y) => x.bucket - y.bucket || x.state.localeCompare(y.state));
    expect(await counts({})).toEqual([
      { bucket: 0, state: 'failed', count: 1 },
      { bucket: 0, state: 'running', count: 1 },
      { bucket: 2, state: 'queued', count: 1 },
      { bucket: 2, state: 'running', count: 1 },
    ]);
    expect(await counts({ workflows: [a] })).toEqual([
      { bucket: 0, state: 'failed', count: 1 },
      { bucket: 0, state: 'running', count: 1 },
    ]);
    expect(await counts({ triggers: ['tick'] })).toEqual([]);
  });

  it('estimate successes of very many runs, and count the failures', async () => {
    const commands = Array.from({ length: 7_000 }, () => commandOf(a));
    for (let k = 0; k < 3; k++) await store.submitCommands({ commands, now: NOW });
    const runs: number[] = [];
    for (let found = await claim(); found.length > 0; found = await claim())
      runs.push(...found.map(({ run }) => run));
    const end = (list: readonly number[], state: RunState) =>
      commit(store, self, ...list.map((run) => changeOf(run, { fields: fieldsOf(state), endedAt: NOW })));
    await end([runs[10_001]], 'failed');
    const others = runs.filter((_, k) => k !== 10_001);
    for (let k = 0; k < others.length; k += 3_000) await end(others.slice(k, k + 3_000), 'success');
    const { counts, sampled } = await store.countByTime({
      filter: { from: NOW - 5, to: NOW + 5 },
      width: 10,
    });
    expect(sampled).toBeGreaterThan(1);
    expect(counts.find(({ state }) => state === 'failed')).toMatchObject({ bucket: 0, count: 1 });
    const estimate = counts.find(({ state }) => state === 'success')?.count ?? 0;
    expect(Math.abs(estimate - 20_999)).toBeLessThan(2_000);
  });

  it('have the names of the tasks of many versions', async () => {
    const tasks = [{ name: 'x' }, { name: 'y' }] as never;
    const { id } = await store.publishWorkflow({
      workflow: { ...workflowOf('named'), tasks },
      hash: '1',
      source: '',
      note: '',
      author: 'me',
      due: {},
      now: NOW,
    });
    const versions = [
      { workflow: id, version: 1 },
      { workflow: id, version: 9 },
    ];
    expect(await store.readOutlines({ versions })).toEqual([{ workflow: id, version: 1, tasks: ['x', 'y'] }]);
  });
});
