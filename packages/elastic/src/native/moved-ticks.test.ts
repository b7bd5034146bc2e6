import { describe, expect, it } from 'vitest';
import { perServer, type Ran, SESSION, Stage, shardsIn } from '../testing/stage.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const tick = 20_000;

/** What ran for one tick. */
const of = (stage: Stage, due: number) => stage.ran.filter((one: Ran) => one.due === due);

describe('a tick that falls into a move of shards runs every shard exactly once', () => {
  it('when the new owner handles the tick after the old one ran it', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job);
    await stage.pass(tick + 10);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    await stage.start('b', job, { late: 2_000 });
    await stage.pass(9_000);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    await stage.pass(10_000);
    expect(perServer(of(stage, tick + 10_000))).toEqual({ a: 5, b: 5 });
    expect(shardsIn(of(stage, tick + 10_000))).toEqual(ten);
  });

  it('when the old owner leaves before it handled the tick and the new one has handled it', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job);
    const b = await stage.start('b', job, { late: 2_000 });
    await stage.pass(tick + 500);
    await stage.passing(b.runner.stop());
    await stage.pass(5_000);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    expect(perServer(of(stage, tick))).toEqual({ a: 10 });
  });

  it('when the old owner crashes before it handled the tick', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job);
    const b = await stage.start('b', job);
    await stage.pass(tick - 100);
    stage.crash(b);
    await stage.pass(SESSION + 3_000);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    expect(shardsIn(of(stage, tick - 10_000))).toEqual(ten);
  });

  it('when the new owner joined after the tick and the old one is late', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job, { late: 2_000 });
    await stage.pass(tick + 500);
    await stage.start('b', job);
    await stage.pass(5_000);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    expect(perServer(of(stage, tick))).toEqual({ a: 5, b: 5 });
  });

  it('when the tick comes while an instance joins', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    await stage.start('a', job);
    await stage.pass(tick - 1);
    const joining = stage.start('b', job);
    await stage.pass(5_000);
    await joining;
    expect(shardsIn(of(stage, tick))).toEqual(ten);
  });

  it('and not at all after nobody was there, or the job was disabled', async () => {
    const stage = new Stage(settle);
    const job = stage.job();
    const a = await stage.start('a', job);
    await stage.pass(tick - 5_000);
    await stage.passing(a.runner.stop());
    await stage.pass(tick);
    await stage.start('b', job);
    await stage.pass(3_000);
    expect(stage.ran).toHaveLength(10);
    const operator = stage.operator();
    await stage.passing(operator.setEnabled('job', { kind: 'job' }, false));
    await stage.pass(27_000);
    await stage.passing(operator.setEnabled('job', { kind: 'job' }, true));
    await stage.pass(2_000);
    expect(stage.ran).toHaveLength(10);
    await stage.pass(10_000);
    expect(stage.ran).toHaveLength(20);
  });

  it('without shards that are new, disabled, or of a cron that was set after it', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4 });
    await stage.start('a', job);
    await stage.pass(tick + 100);
    const operator = stage.operator();
    await stage.passing(operator.setEnabled('job', { kind: 'shard', shard: 3 }, false));
    await stage.pass(10_000);
    await stage.passing(operator.setEnabled('job', { kind: 'shard', shard: 3 }, true));
    await stage.passing(operator.configure('job', { shards: 8 }));
    await stage.start('b', job);
    await stage.pass(3_000);
    expect(stage.ran).toHaveLength(4 + 4 + 3);
    // A tick of the new cron that passed before it was set.
    await stage.passing(operator.configure('job', { cron: '1/10 * * * * ?' }));
    await stage.start('c', job);
    await stage.pass(3_000);
    expect(stage.ran).toHaveLength(11);
  });
});

describe('a tick that comes while the registry is away', () => {
  it('is made up for when it is back', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job());
    await stage.pass(tick - 2_500);
    a.registry().faults.cut();
    await stage.pass(2_600);
    a.registry().faults.restore();
    await stage.pass(4_000);
    expect(shardsIn(of(stage, tick))).toEqual(ten);
    await stage.pass(10_000);
    expect(stage.ran).toHaveLength(30);
  });
});
