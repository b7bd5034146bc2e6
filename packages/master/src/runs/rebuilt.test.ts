import { openGate, StoreClock } from '@orrery/cluster';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import { Engine, submitTo } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import { type Context, masterDefaults } from '../ports.ts';
import { Runs } from './runs.ts';

describe('runs of a master', () => {
  it('go on beside one that the store refuses', async () => {
    const inner = await openSqlite(':memory:');
    let bad = 0;
    const store: Store = {
      ...inner,
      commitRuns: async (input) => {
        if (input.changes.some(({ run }) => run === bad)) throw new Error('a value is out of range');
        return inner.commitRuns(input);
      },
    };
    const engine = await Engine.start({}, {}, { store });
    bad = await submitTo(store, workflow([task('a')], { name: 'bad' }), engine.clock.now());
    const good = await engine.submit(workflow([task('a')], { name: 'good' }));
    await engine.pass(5_000);
    expect((await engine.states(good)).run).toBe('success');
    expect((await engine.states(bad)).run).toBe('running');
    const refused = engine.said.filter((line) => line.includes('could not commit'));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter((line) => !line.includes('could not commit 1 runs'))).toEqual([]);
  });

  it('are taken up after a claim whose answer was lost, also when it is committed only afterwards', async () => {
    const inner = await openSqlite(':memory:');
    let loses = false;
    let late: (() => Promise<unknown>) | undefined;
    const store: Store = {
      ...inner,
      claimWork: async (input) => {
        // What the late one has locked is passed over.
        if (!loses) return inner.claimWork(late ? { ...input, starts: 0 } : input);
        loses = false;
        late = () => inner.claimWork(input);
        throw new StoreAway('no answer', true);
      },
      // Waits for the row of the node, as on a server.
      beat: async (input) => {
        await late?.();
        late = undefined;
        return inner.beat(input);
      },
    };
    const engine = await Engine.start({}, {}, { store });
    await engine.pass(500);
    loses = true;
    const run = await engine.submit(workflow([task('a')]));
    await engine.pass(50);
    engine.hint();
    await engine.pass(5_000);
    expect((await engine.states(run)).run).toBe('success');
  });
});

/** Runs of a master that joined, of which nobody hears; `over` are its operations that do as the test says. */
async function runsOn(over: (inner: Store) => Partial<Store>) {
  const inner = await openSqlite(':memory:');
  const store: Store = { ...inner, ...over(inner) };
  const still = { now: () => 1_000, monotonic: () => 0, setTimer: () => ({ cancel() {} }) };
  const clock = StoreClock.unmeasured(still);
  const config = { ...masterDefaults, id: 'm1', address: 'm1' };
  const { epoch } = await inner.joinNode({ ...config, info: {}, now: 1_000 });
  const self = { node: 'm1', epoch };
  const context: Context = { store, clock, config, self, gate: openGate, log: () => {}, report: () => {} };
  const claim = async (...tasks: Parameters<typeof workflow>) => {
    const run = await submitTo(inner, workflow(...tasks), 1_000);
    const { starts } = await inner.claimWork({ self, orphans: 0, starts: 1, now: 1_000 });
    return { run, starts };
  };
  const { epoch: workerEpoch } = await inner.joinWorker({
    self,
    worker: 'w1',
    address: '',
    slots: 8,
    groups: ['default'],
    now: 1_000,
  });
  const take = (number: number) =>
    inner.take({ self, worker: 'w1', epoch: workerEpoch, number, room: 8, groups: ['default'], now: 1_000 });
  const runs = new Runs(context, { lend: () => [] }, () => {});
  const report = (run: number, done: (committed: boolean) => void) => {
    const attempt = { task: 0, shard: -1, number: 1 };
    const outcome = { state: 'success', worker: 'w1' } as const;
    runs.report(
      {
        run,
        ...attempt,
        worker: 'w1',
        workerEpoch,
        state: 'success',
        late: false,
        startedAt: 1_000,
        endedAt: 1_000,
        exitCode: 0,
        cpuTime: null,
        peakMemory: null,
        error: null,
        logTail: null,
      },
      { now: 1_000, type: 'outcome', attempt, outcome },
      done,
    );
  };
  return { runs, claim, take, report };
}

const turn = async () => {
  for (let k = 0; k < 20; k++) await new Promise<void>((resolve) => setImmediate(resolve));
};

describe('a run that is rebuilt', () => {
  it('by two at once is read for the first alone: what the second has read might be old when it is held', async () => {
    const gate = Promise.withResolvers<void>();
    let loads = 0;
    const { runs, claim } = await runsOn((inner) => ({
      loadRuns: async (input) => {
        loads++;
        const loaded = await inner.loadRuns(input);
        await gate.promise;
        return loaded;
      },
    }));
    const { run } = await claim([task('a')]);
    const both = Promise.all([runs.adopt([run]), runs.adopt([run])]);
    await turn();
    expect(loads).toBe(1);
    gate.resolve();
    await both;
    expect(runs.owns(run)).toBe(true);
    expect(loads).toBe(1);
  });
});

describe('a report of a run that ends', () => {
  it('is answered although the run is laid down before it can be committed', async () => {
    const gate = Promise.withResolvers<void>();
    let gated = false;
    const { runs, claim, take, report } = await runsOn((inner) => ({
      readWorkflow: async (input) => {
        if (gated) await gate.promise;
        return inner.readWorkflow(input);
      },
    }));
    const child = task('c', { type: 'sub-workflow', with: { workflow: { name: 'other' }, params: {} } });
    const ends = await claim([task('a')], { name: 'ends' });
    const waits = await claim([task('a'), { ...child, needs: ['a'] }], { name: 'waits' });
    await runs.begin([...ends.starts, ...waits.starts], 1_000);
    await turn();
    await take(1);
    gated = true;
    const heard: string[] = [];
    // Committed together: while the child of one is looked up, the other is about to be laid down.
    report(ends.run, (committed) => heard.push(`first ${committed}`));
    report(waits.run, () => {});
    await turn();
    report(ends.run, (committed) => heard.push(`again ${committed}`));
    gate.resolve();
    await turn();
    expect(heard.toSorted()).toEqual(['again false', 'first true']);
  });
});

describe('masters and workers', () => {
  it('are not given up for the time in which the store was away', async () => {
    const engine = await Engine.start({}, {}, { workers: {} });
    const { store, clock } = engine;
    const now = () => clock.now();
    const { epoch } = await store.joinNode({
      id: 'm2',
      roles: ['master'],
      address: '',
      info: {},
      now: now(),
    });
    const self = { node: 'm2', epoch };
    const worker = { worker: 'w9', address: '', slots: 1, groups: ['default'] };
    const joined = await store.joinWorker({ self, ...worker, now: now() });
    await engine.pass(1_500);
    engine.away = true;
    await engine.pass(60_000);
    engine.away = false;
    await engine.pass(3_000);
    await store.beat({ self, now: now() });
    const held = { take: 0, held: [], load: {} };
    const beat = await store.beatWorker({ self, worker: 'w9', ...joined, ...held, now: now() });
    expect(beat.welcome).toBe(true);
    await engine.pass(8_000);
    await expect(store.beat({ self, now: now() })).rejects.toThrow('no longer holds epoch');
  });
});
