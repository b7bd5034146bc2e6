import type { Shards } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { retries, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('the shards of a task on $name', (database) => {
  afterAll(() => database.close());

  const sharded = (shards: Partial<Shards>, more = {}) =>
    workflow([
      task('split', {
        shards: { count: 6, parameters: { 0: 'beijing' }, plan: 'none', strategy: 'average', ...shards },
        ...more,
      }),
    ]);
  /** Who ran which shards first. */
  const whoRan = async (engine: Engine, run: number) => {
    const first = (await engine.store.listAttempts({ run })).filter(({ number }) => number === 1);
    const workers = Object.groupBy(first, ({ worker }) => worker ?? '');
    const shards = Object.entries(workers).map(([worker, attempts = []]) => [
      worker,
      attempts.map(({ shard }) => shard).toSorted(),
    ]);
    return Object.fromEntries(shards);
  };
  const three = { a: {}, b: {}, c: {} };
  const start = async (
    play: Parameters<typeof Engine.start>[0],
    workers: Record<string, object> = three,
  ): Promise<Engine> => {
    const engine = await Engine.start(play, {}, { store: await database.open(), workers });
    // Until all have joined.
    await engine.pass(2_000);
    return engine;
  };

  it('are attempts of their own, each with its number and parameter, and are tried again alone', async () => {
    const engine = await start(({ attempt }) => ({
      after: 10,
      state: attempt.shard === 2 && attempt.number < 3 ? 'failed' : 'success',
    }));
    const run = await engine.submit(sharded({}, { retries: retries(2) }));
    await engine.pass(20_000);
    expect(await engine.states(run)).toEqual({ run: 'success', tasks: { split: 'success' } });
    const given = engine.executed.map(({ attempt, shardCount, shardParameter }) => [
      attempt.shard,
      attempt.number,
      shardCount,
      shardParameter,
    ]);
    const first = Array.from({ length: 6 }, (_, k) => [k, 1, 6, k === 0 ? 'beijing' : '']);
    expect(given.slice(0, 6).toSorted()).toEqual(first);
    expect(given.slice(6)).toEqual([
      [2, 2, 6, ''],
      [2, 3, 6, ''],
    ]);
  });

  it('go where a dynamic plan says, over as many workers as it may', async () => {
    const engine = await start({});
    const all = await engine.submit(sharded({ plan: 'dynamic' }));
    await engine.pass(5_000);
    expect(await whoRan(engine, all)).toEqual({ a: [0, 1], b: [2, 3], c: [4, 5] });
    const two = await engine.submit(sharded({ plan: 'dynamic', instances: 2 }));
    await engine.pass(5_000);
    expect(Object.values(await whoRan(engine, two)).toSorted()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  it('stay where a static plan has put them, until a worker of it is gone', async () => {
    const engine = await start({ after: 10 }, { a: {}, b: {} });
    const flow = sharded({ plan: 'static', instances: 2 });
    const first = await engine.submit(flow);
    await engine.pass(5_000);
    expect(await whoRan(engine, first)).toEqual({ a: [0, 1, 2], b: [3, 4, 5] });
    engine.startWorker('c');
    await engine.pass(5_000);
    for (let k = 0; k < 3; k++) {
      const next = await engine.submit(flow);
      await engine.pass(5_000);
      expect(await whoRan(engine, next)).toEqual({ a: [0, 1, 2], b: [3, 4, 5] });
    }
    await engine.store.drainNode({
      node: 'a',
      drain: true,
      timeout: 0,
      silentAfter: 10_000,
      actor: 'someone',
      now: engine.clock.now(),
    });
    const moved = await engine.submit(flow);
    await engine.pass(5_000);
    expect(await whoRan(engine, moved)).toEqual({ b: [0, 1, 2], c: [3, 4, 5] });
  });

  it('of a static plan are planned again after one had to be tried again', async () => {
    const mood = { fails: false };
    const engine = await start(
      ({ attempt }) => ({
        after: 3_000,
        state: mood.fails && attempt.shard === 0 && attempt.number === 1 ? 'failed' : 'success',
      }),
      { a: {}, b: {} },
    );
    const c = engine.startWorker('c');
    await engine.pass(2_000);
    const flow = sharded({ plan: 'static' }, { retries: retries(1) });
    const { id: workflow } = await engine.publish(flow);
    const kept = () => engine.store.readShardPlan({ workflow, task: 'split' });
    const runOnce = async (meanwhile = () => {}) => {
      const run = await engine.submit(flow);
      await engine.pass(1_000);
      meanwhile();
      while ((await engine.states(run)).run !== 'success') await engine.pass(1_000);
      return run;
    };
    expect(await whoRan(engine, await runOnce())).toEqual({ a: [0, 1], b: [2, 3], c: [4, 5] });
    expect(await kept()).toContain('"node":"c"');
    await runOnce(() => c.crash());
    expect(await kept()).toBeUndefined();
    await runOnce();
    expect(await kept()).not.toContain('"node":"c"');
    mood.fails = true;
    await runOnce();
    expect(await kept()).toBeUndefined();
  });

  it('of a lost worker alone run again, on others', async () => {
    const engine = await start({ after: 10_000 }, { a: {}, b: {} });
    const c = engine.startWorker('c');
    await engine.pass(1_000);
    const run = await engine.submit(sharded({ plan: 'dynamic' }));
    await engine.pass(2_000);
    c.crash();
    await engine.pass(120_000);
    expect((await engine.states(run)).run).toBe('success');
    const again = (await engine.store.listAttempts({ run })).filter(({ number }) => number > 1);
    expect(again.map(({ shard }) => shard).toSorted()).toEqual([4, 5]);
    expect(again.every(({ worker }) => worker === 'a' || worker === 'b')).toBe(true);
  });
});
