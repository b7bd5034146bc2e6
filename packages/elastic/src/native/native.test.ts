import { describe, expect, it } from 'vitest';
import { overlaps, perServer, SESSION, Stage, shardsIn } from '../testing/stage.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe('a job on the native board', () => {
  it('runs every shard once at each tick, divided over the instances', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    for (const name of ['a', 'b', 'c']) await stage.start(name, job);
    await stage.pass(10_000);
    expect(shardsIn(stage.ran)).toEqual(ten);
    expect(perServer(stage.ran)).toEqual({ a: 4, b: 3, c: 3 });
    await stage.pass(10_000);
    expect(shardsIn(stage.since(10))).toEqual(ten);
    expect(stage.errors).toEqual([]);
  });

  it('gives shards to an instance that joins, from the next tick on', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job);
    await stage.pass(10_000);
    expect(perServer(stage.ran)).toEqual({ a: 10 });
    await stage.start('b', job);
    await stage.pass(10_000);
    expect(perServer(stage.since(10))).toEqual({ a: 5, b: 5 });
  });

  it('divides the shards of an instance that left in good order at once', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    const a = await stage.start('a', job);
    await stage.start('b', job);
    await stage.pass(10_000);
    const stopped = a.runner.stop();
    await stage.pass(10);
    await stopped;
    await stage.pass(10_000);
    expect(perServer(stage.since(10))).toEqual({ b: 10 });
  });

  it('runs crashed shards elsewhere at once with failover, with greater tokens', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ cron: '0 0/1 * * * ?', failover: true });
    const a = await stage.start('a', job, { takes: 20_000 });
    await stage.start('b', job, { takes: 20_000 });
    await stage.start('c', job, { takes: 20_000 });
    await stage.pass(65_000);
    expect(shardsIn(stage.ran)).toEqual(ten);
    const lost = stage.ran.filter(({ instance }) => instance.startsWith('a'));
    stage.crash(a);
    await stage.pass(SESSION + 1_000);
    const taken = stage.since(10);
    expect(shardsIn(taken)).toEqual(shardsIn(lost));
    expect(new Set(taken.map(({ cause }) => cause))).toEqual(new Set(['failover']));
    for (const { shard, token } of taken)
      expect(token).toBeGreaterThan(lost.find((one) => one.shard === shard)?.token ?? 0);
    expect(Object.keys(perServer(taken)).sort()).toEqual(['b', 'c']);
    await stage.pass(60_000);
    expect(shardsIn(stage.since(10 + lost.length))).toEqual(ten);
    expect(perServer(stage.since(10 + lost.length))).toEqual({ b: 5, c: 5 });
  });

  it('waits for the next tick without failover', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ cron: '0 0/1 * * * ?' });
    const a = await stage.start('a', job, { takes: 20_000 });
    await stage.start('b', job, { takes: 20_000 });
    await stage.pass(65_000);
    stage.crash(a);
    await stage.pass(50_000);
    expect(stage.ran).toHaveLength(10);
    await stage.pass(10_000);
    expect(perServer(stage.since(10))).toEqual({ b: 10 });
  });

  it('makes up once for all ticks that came while a round ran', async () => {
    const stage = new Stage(settle);
    await stage.start('a', stage.job({ shards: 1 }), { takes: 25_000 });
    await stage.pass(10_000 + 25_000);
    expect(stage.ran.map(({ at, cause }) => [at, cause])).toEqual([
      [10_000, 'tick'],
      [35_000, 'misfire'],
    ]);
  });

  it('skips ticks that came while a round ran without misfire', async () => {
    const stage = new Stage(settle);
    await stage.start('a', stage.job({ shards: 1, misfire: false }), { takes: 25_000 });
    await stage.pass(41_000);
    expect(stage.ran.map(({ at, cause }) => [at, cause])).toEqual([
      [10_000, 'tick'],
      [40_000, 'tick'],
    ]);
  });

  it('does not divide again while shards run', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job, { takes: 25_000 });
    await stage.pass(11_000);
    await stage.start('b', job, { takes: 0 });
    await stage.pass(20_000);
    // b waits at its ticks until a has ended: no shard runs twice at once.
    expect(perServer(stage.since(10))).toEqual({});
    await stage.pass(10_000);
    expect(new Set(shardsIn(stage.since(10)))).toEqual(new Set(ten));
    expect(overlaps(stage.ran)).toEqual([]);
  });

  it('stops running shards when the registry may have given them away, and goes on as a new instance', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ cron: '0 0/1 * * * ?' }), { takes: 50_000 });
    await stage.pass(61_000);
    const before = a.runner.instance;
    a.registry().faults.cut();
    await stage.pass(2_000);
    expect(stage.errors).toHaveLength(10);
    await stage.pass(2_000);
    a.registry().faults.restore();
    await stage.pass(60_000);
    expect(a.runner.instance).not.toBe(before);
    expect(shardsIn(stage.since(10))).toEqual(ten);
  });
});
