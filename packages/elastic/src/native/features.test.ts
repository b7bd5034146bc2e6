import { MemoryRegistry } from '@orrery/registry/memory';
import { describe, expect, it } from 'vitest';
import { JobRunner } from '../run/job-runner.ts';
import { perServer, SESSION, Stage, shardsIn } from '../testing/stage.ts';
import { NativeOperator } from './operator.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const config = '/ns/job/config';
const assignment = '/ns/job/assignment';

describe('operators', () => {
  it('trigger all instances or one, with a parameter', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ cron: undefined, shards: 4 });
    const given: (string | undefined)[] = [];
    const handler = (context: { triggerParameter: string | undefined }) =>
      void given.push(context.triggerParameter);
    const a = await stage.start('a', job, { handler });
    await stage.start('b', job, { handler });
    await stage.pass(5_000);
    expect(stage.ran).toEqual([]);
    const operator = stage.operator();
    expect(await stage.passing(operator.trigger('job', { parameter: 'today' }))).toHaveLength(2);
    await stage.pass(100);
    expect(shardsIn(stage.ran)).toEqual([0, 1, 2, 3]);
    expect(given).toEqual(['today', 'today', 'today', 'today']);
    await stage.passing(operator.trigger('job', { instance: a.runner.instance }));
    await stage.pass(100);
    expect(perServer(stage.since(4))).toEqual({ a: 2 });
  });

  it('learn how the round of their trigger ended', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ cron: undefined, shards: 4 });
    const handler = ({ shard }: { shard: number }) =>
      new Promise<void>((resolve, reject) =>
        stage.clock.setTimer(1_000, () => (shard === 3 ? reject(new Error('no disk')) : resolve())),
      );
    for (const name of ['a', 'b', 'c']) await stage.start(name, job, { handler });
    await stage.pass(2_000);
    const operator = stage.operator();
    await stage.passing(operator.setEnabled('job', { kind: 'server', server: 'c' }, false));
    await stage.pass(2_000);
    await stage.passing(operator.trigger('job', { id: 'mine' }));
    await stage.pass(100);
    const progress = () => stage.passing(operator.progress('job', 'mine'));
    const [a, b, c] = ['a@', 'b@', 'c@'].map((text) => expect.stringContaining(text));
    // c has no shards: its round has ended.
    expect(await progress()).toMatchObject({ waiting: [a, b], ended: [c] });
    await stage.pass(2_000);
    expect(await progress()).toEqual({
      waiting: [],
      ended: [a, b, c],
      succeeded: 3,
      failed: [{ shard: 3, error: 'no disk' }],
      isRecorded: true,
    });
    expect(await stage.passing(operator.progress('job', 'other'))).toMatchObject({ waiting: [], ended: [] });
  });

  it('disable and enable a shard, a server and the job', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4 });
    await stage.start('a', job);
    await stage.start('b', job);
    await stage.pass(10_000);
    const operator = stage.operator();
    const round = async () => {
      const place = stage.ran.length;
      await stage.pass(10_000);
      return perServer(stage.since(place));
    };
    await stage.passing(operator.setEnabled('job', { kind: 'shard', shard: 0 }, false));
    expect(await round()).toEqual({ a: 1, b: 2 });
    await stage.passing(operator.setEnabled('job', { kind: 'shard', shard: 0 }, true));
    await stage.passing(operator.setEnabled('job', { kind: 'server', server: 'a' }, false));
    expect(await round()).toEqual({ b: 4 });
    await stage.passing(operator.setEnabled('job', { kind: 'job' }, false));
    expect(await round()).toEqual({});
    await stage.passing(operator.setEnabled('job', { kind: 'job' }, true));
    await stage.passing(operator.setEnabled('job', { kind: 'server', server: 'a' }, true));
    expect(await round()).toEqual({ a: 2, b: 2 });
  });

  it('change the configuration of all instances, and end the part of one', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 2 });
    const a = await stage.start('a', job);
    await stage.start('b', job);
    await stage.pass(10_000);
    const operator = stage.operator();
    await stage.passing(operator.configure('job', { shards: 6, cron: '0/30 * * * * ?' }));
    await stage.pass(20_000);
    expect(perServer(stage.since(2))).toEqual({ a: 3, b: 3 });
    await stage.passing(operator.shutDown('job', a.runner.instance));
    await stage.pass(30_000);
    expect(perServer(stage.since(8))).toEqual({ b: 6 });
    expect(await stage.passing(operator.show('job'))).toMatchObject({ status: 'ok', instances: 1 });
  });
});

describe('single-shard-balance', () => {
  it('moves the shard to the next instance after each round', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 1, strategy: 'single-shard-balance' });
    for (const name of ['a', 'b', 'c']) await stage.start(name, job);
    await stage.pass(60_000);
    const order = stage.ran.map(({ instance }) => instance.split('@-@')[0]).join('');
    expect(order).toHaveLength(6);
    expect('abcabcabc').toContain(order);
  });
});

describe('reconcile', () => {
  it('finds an owner that is gone although the leader missed the event', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 2, reconcileInterval: '30s' });
    const a = await stage.start('a', job);
    await stage.pass(10_000);
    const registry = a.registry();
    const get = registry.get.bind(registry);
    registry.get = async () => {
      throw new Error('lost on the way');
    };
    const entry = await stage.passing(
      new MemoryRegistry(stage.tree, { sessionTimeout: 3_600_000 }).get(assignment),
    );
    const ghost = { ...JSON.parse(entry?.value ?? ''), shards: { 'ghost@-@1': '0-1' } };
    const other = new MemoryRegistry(stage.tree, { sessionTimeout: 3_600_000 });
    await stage.passing(other.set(assignment, JSON.stringify(ghost)));
    await stage.pass(100);
    registry.get = get;
    await stage.pass(60_000);
    const place = stage.ran.length;
    await stage.pass(10_000);
    expect(shardsIn(stage.since(place))).toEqual([0, 1]);
  });
});

describe('bad input', () => {
  const start = (stage: Stage, more: object) => stage.start('a', stage.job({ shards: 2, ...more }));

  it('is refused with a reason: strategy, shards of the strategy, another job of the name', async () => {
    const stage = new Stage(settle);
    await expect(start(stage, { strategy: 'nosuch' })).rejects.toThrow('unknown strategy "nosuch"');
    await expect(start(stage, { strategy: 'single-shard-balance' })).rejects.toThrow('jobs with one shard');
    expect(() => stage.job({ shards: 2, shardParameters: '2=x' })).toThrow('2');
    const registry = new MemoryRegistry(stage.tree, { sessionTimeout: 3_600_000 });
    await start(stage, {});
    const entry = await stage.passing(registry.get(config));
    await stage.passing(registry.set(config, (entry?.value ?? '').replace('"simple"', '"http"')));
    await expect(start(stage, {})).rejects.toThrow('another job has this name: it is "http"');
    await stage.passing(registry.set(config, '{"format": 2}'));
    await expect(start(stage, {})).rejects.toThrow('needs a newer version');
    await stage.passing(registry.set(config, 'what'));
    await expect(start(stage, {})).rejects.toThrow(`${config}: the registry entry cannot be read`);
  });

  it('in the registry stops the job it belongs to, and no other of the process', async () => {
    const stage = new Stage(settle);
    const a = await start(stage, {});
    const more = stage.job({ shards: 1, name: 'other' });
    const seen: number[] = [];
    const joining = a.board.join({
      job: more,
      identity: 'simple',
      strategies: {},
      onEvent: () => seen.push(1),
    });
    const other = await stage.passing(joining);
    const registry = new MemoryRegistry(stage.tree, { sessionTimeout: 3_600_000 });
    const entry = await stage.passing(registry.get(config));
    await stage.passing(registry.set(config, 'what'));
    // The session is lost: the other job sits down again, this one says why not, until the entry is mended.
    a.registry().faults.cut();
    await stage.pass(SESSION + 500);
    a.registry().faults.restore();
    await stage.pass(3_000);
    expect(await stage.passing(other.prepare(AbortSignal.timeout(10_000)))).toEqual([0]);
    expect(stage.logs.join('\n')).toContain(`${config}: the registry entry cannot be read; next try`);
    const place = stage.ran.length;
    await stage.passing(registry.set(config, entry?.value ?? ''));
    await stage.pass(30_000);
    expect(new Set(shardsIn(stage.since(place)))).toEqual(new Set([0, 1]));
  });

  it('refuses rounds while the clock is too far off', async () => {
    const stage = new Stage(settle);
    const a = await start(stage, { maxTimeDiff: '1s' });
    const registry = a.registry();
    registry.serverTime = async () => stage.clock.now() - 5_000;
    await stage.pass(10_000);
    expect(stage.ran).toEqual([]);
    expect(stage.errors).toEqual([expect.stringContaining("clock is 5000 ms off the registry's")]);
  });

  it('is refused where clocks are to be compared and the registry has none', async () => {
    const stage = new Stage(settle);
    const a = await start(stage, {});
    const registry = a.registry();
    registry.serverTime = async () => undefined as never;
    const operator = new NativeOperator('ns', { registry: async () => registry, id: () => 't' });
    const why = 'maxTimeDiff needs a registry with a clock';
    await expect(stage.passing(operator.configure('job', { maxTimeDiff: '1s' }))).rejects.toThrow(why);
    const job = stage.job({ name: 'second', maxTimeDiff: '1s' });
    const options = {
      handler: () => {},
      limits: { retries: 0, retryDelay: 0, timeout: undefined, grace: 0 },
      listeners: {},
      onError: () => {},
    };
    const ports = { clock: stage.clock, id: () => 'r', log: () => {} };
    const second = JobRunner.start(a.board, { job, identity: 'simple', strategies: {} }, options, ports);
    await expect(stage.passing(second)).rejects.toThrow(why);
    // It has left: an instance that runs nothing would stop the job.
    expect((await stage.passing(operator.show('second'))).instances).toBe(0);
  });
});

describe('several instances on one host', () => {
  it('have shards each, and are disabled together', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 6 });
    const [one, two] = [await stage.start('a', job), await stage.start('a', job)];
    await stage.start('b', job);
    await stage.pass(11_000);
    expect(perServer(stage.ran)).toEqual({ a: 4, b: 2 });
    expect(one.runner.statistics.read()).toEqual({
      ticks: 1,
      missed: 0,
      rounds: { tick: 1, trigger: 0, misfire: 0, failover: 0 },
      succeeded: 2,
      failed: 0,
    });
    await stage.passing(stage.operator().setEnabled('job', { kind: 'server', server: 'a' }, false));
    await stage.pass(10_000);
    expect(perServer(stage.since(6))).toEqual({ b: 6 });
    expect(two.runner.statistics.read()).toMatchObject({ ticks: 2, succeeded: 2 });
  });
});

describe('handlers', () => {
  it('that throw at once fail their shard alone', async () => {
    const stage = new Stage(settle);
    await stage.start('a', stage.job({ shards: 2 }), {
      handler: ({ shard }) => {
        if (shard === 0) throw new Error('at once');
      },
    });
    await stage.pass(20_000);
    expect(stage.ran).toHaveLength(4);
    expect(stage.errors).toEqual(['at once', 'at once']);
  });

  it('that never return are left behind after a stop with patience', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ shards: 1 }), { handler: () => new Promise(() => {}) });
    await stage.pass(11_000);
    await stage.passing(a.runner.stop(500));
    await stage.start('b', stage.job({ shards: 1 }));
    await stage.pass(10_000);
    expect(perServer(stage.since(1))).toEqual({ b: 1 });
  });

  it('can be stopped while the registry is away', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ shards: 1 }));
    await stage.pass(10_000);
    stage.crash(a);
    await stage.pass(SESSION + 500);
    await stage.passing(a.runner.stop());
    await stage.passing(a.board.close());
    const place = stage.ran.length;
    await stage.pass(30_000);
    expect(stage.since(place)).toEqual([]);
  });

  it('run ten thousand shards', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 10_000, strategy: 'rotate', cron: '0 0/1 * * * ?' });
    await stage.start('a', job);
    await stage.start('b', job);
    await stage.pass(60_000);
    expect(new Set(shardsIn(stage.ran)).size).toBe(10_000);
    expect(stage.ran).toHaveLength(10_000);
    expect(perServer(stage.ran)).toEqual({ a: 5_000, b: 5_000 });
  });
});
