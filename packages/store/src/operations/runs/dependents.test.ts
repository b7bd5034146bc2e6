import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Self, Store } from '../../index.ts';
import { changeOf, commandOf, commit, joinMaster, NOW, readInboxes, startRuns } from '../../testing.ts';

describe.each(testDatabases())('dependents on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let runs: number[];
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    runs = await startRuns(store, self, 3);
  });
  afterAll(close);

  const wait = (run: number, task: number, on: number[], lookAt = NOW + 30_000) =>
    commit(store, self, changeOf(run, { waits: { open: [{ task, round: 1, on, lookAt }] } }));
  const wake = async (...workflows: number[]) => store.wakeDependents({ self, workflows, now: NOW });
  const looks = async () =>
    (await readInboxes(store, self)).flatMap(({ run, message }) =>
      message.type === 'look' ? [[run, message.task, message.round]] : [],
    );
  const look = (now: number, limit = 10) => store.dueLooks({ self, every: 30_000, limit, now });

  it('are told to look when a workflow they wait for ends a round, once for each round', async () => {
    await wait(runs[0], 2, [7, 8]);
    await wait(runs[1], 0, [8]);
    await wait(runs[2], 0, [9]);
    expect(await wake(7)).toEqual([{ run: runs[0], owner: 'm1' }]);
    expect(await looks()).toEqual([[runs[0], 2, 1]]);
    expect((await wake(8)).map(({ run }) => run).sort()).toEqual([runs[0], runs[1]]);
    expect(await looks()).toHaveLength(3);
    expect(await wake(10)).toEqual([]);
  });

  it('are looked for by workflow, before anyone is told', async () => {
    await wait(runs[0], 2, [7, 8]);
    await wait(runs[1], 0, [8]);
    expect((await store.findAwaited({ workflows: [6, 7, 8] })).toSorted((a, b) => a - b)).toEqual([7, 8]);
    expect(await store.findAwaited({ workflows: [6] })).toEqual([]);
  });

  it('are not told any more once they have closed their wait', async () => {
    await wait(runs[0], 2, [7]);
    await commit(store, self, changeOf(runs[0], { waits: { close: [{ task: 2, round: 1 }] } }));
    expect(await wake(7)).toEqual([]);
    expect(await look(NOW + 99_000)).toEqual([]);
    expect((await store.checkStore()).counts.dependency_wait).toBe(0);
  });

  it('look again from time to time, soonest first, and not before', async () => {
    await wait(runs[0], 0, [7], NOW + 2_000);
    await wait(runs[1], 0, [7], NOW + 1_000);
    expect(await look(NOW + 999)).toEqual([]);
    expect((await look(NOW + 2_000, 1)).map(({ run }) => run)).toEqual([runs[1]]);
    expect((await look(NOW + 2_000, 1)).map(({ run }) => run)).toEqual([runs[0]]);
    expect(await look(NOW + 2_000)).toEqual([]);
    expect(await look(NOW + 32_000)).toHaveLength(2);
  });

  it('read facts by workflow and business time, long after the runs', async () => {
    const fact = (workflow: number, businessTime: number, state = 'success', round = 1) => ({
      workflow,
      businessTime,
      round,
      state,
      tasks: '{"t":"success"}',
    });
    await commit(store, self, changeOf(runs[0], { fact: fact(7, 100) }));
    await commit(store, self, changeOf(runs[0], { fact: fact(7, 100, 'failed', 2) }));
    await commit(
      store,
      self,
      changeOf(runs[1], { fact: fact(7, 200) }),
      changeOf(runs[2], { fact: fact(8, 150) }),
    );
    await commit(store, self, changeOf(runs[1], { fact: fact(7, 200, 'failed') }));
    const facts = await store.readFacts({
      wanted: [
        { workflow: 8, from: 0, to: 999 },
        { workflow: 7, from: 100, to: 200 },
        { workflow: 7, from: 200, to: 201 },
        { workflow: 9, from: 0, to: 999 },
      ],
    });
    expect(
      facts.map((entry) => [entry.workflow, entry.businessTime, entry.run, entry.round, entry.state]),
    ).toEqual([
      [8, 150, runs[2], 1, 'success'],
      [7, 100, runs[0], 1, 'success'],
      [7, 100, runs[0], 2, 'failed'],
      [7, 200, runs[1], 1, 'success'],
    ]);
    expect(facts[0]).toMatchObject({ tasks: '{"t":"success"}', endedAt: NOW });
  });

  it('find open runs of a business time, without dry runs and runs of some tasks', async () => {
    const request = { ...commandOf(7).request, businessTime: 500 };
    const start = (more: Partial<typeof request>) =>
      startRuns(store, self, 1, { workflow: 7, request: { ...request, ...more } });
    const [whole] = await start({});
    await start({ dryRun: true });
    await start({ counts: false });
    const open = await store.readOpenPeriods({ wanted: [{ workflow: 7, from: 0, to: 999 }] });
    expect(open.map(({ run }) => run)).toEqual([whole]);
  });

  it('keep facts until both their end and their business time are old', async () => {
    const [{ workflow }] = await store.loadRuns({ runs });
    const at = (run: number, businessTime: number) =>
      changeOf(run, { fact: { workflow, businessTime, round: 1, state: 'success', tasks: '{}' } });
    await store.commitRuns({ self, changes: [at(runs[0], 10), at(runs[1], 20)], now: 100 });
    await store.commitRuns({ self, changes: [at(runs[2], 30)], now: 900 });
    expect(await store.sweepFacts({ before: 500, limit: 1 })).toBe(1);
    expect(await store.sweepFacts({ before: 500, limit: 9 })).toBe(1);
    expect(await store.sweepFacts({ before: 500, limit: 9 })).toBe(0);
    expect(await store.readFacts({ wanted: [{ workflow, from: 0, to: 99 }] })).toMatchObject([
      { run: runs[2] },
    ]);
  });
});
