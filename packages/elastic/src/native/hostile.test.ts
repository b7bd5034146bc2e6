/** What a job must survive: entries that a foreign hand spoils, instances that freeze at any step, clocks that are wrong. */
import { MemoryRegistry } from '@orrery/registry/memory';
import { describe, expect, it } from 'vitest';
import { overlaps, perServer, SESSION, Stage, type StageInstance, shardsIn } from '../testing/stage.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const four = [0, 1, 2, 3];
const HOUR = 3_600_000;

/** Changes entries behind the back of everyone. */
const vandal = (stage: Stage) => new MemoryRegistry(stage.tree, { sessionTimeout: HOUR });

/** What ran in a round that nothing disturbed. */
async function nextRound(stage: Stage): Promise<readonly number[]> {
  const place = stage.ran.length;
  await stage.pass(10_000);
  return shardsIn(stage.since(place));
}

describe('an entry that a foreign hand spoiled', () => {
  const entries = ['config', 'switches', 'assignment', 'running/b', 'instances/b', 'meetings/started'];

  it.each(entries)('%s: other jobs go on, it is named, and all is well once it is mended', async (which) => {
    const stage = new Stage(settle);
    const meets = { options: { listeners: { beforeOnce: () => {}, patience: 2_000 } } };
    const more = { shards: 2, name: 'other' };
    await stage.start('a', stage.job({ shards: 4 }), meets);
    const b = await stage.start('b', stage.job({ shards: 4 }), meets);
    await stage.start('c', stage.job(more));
    expect(await nextRound(stage)).toEqual([0, 0, 1, 1, 2, 3]);
    const registry = vandal(stage);
    const path = `/ns/job/${which.replace('/b', `/${b.runner.instance}`)}`;
    const entry = await stage.passing(registry.get(path));
    await stage.passing(registry.set(path, 'what'));
    const [{ fault, status }] = await stage.passing(stage.operator().list());
    if (!which.startsWith('meetings'))
      expect([status, fault]).toEqual(['broken', expect.stringContaining(path)]);
    await stage.pass(10_000);
    const place = stage.ran.length;
    await stage.pass(10_000);
    // The other job has as many shards at least as ran.
    expect(stage.since(place).filter(({ instance }) => instance.startsWith('c')).length).toBe(2);
    if (which.startsWith('meetings')) expect(stage.errors.join()).toContain(path);
    await stage.passing(registry.set(path, entry?.value ?? ''));
    await stage.pass(25_000);
    expect(await nextRound(stage)).toEqual([0, 0, 1, 1, 2, 3]);
    expect(overlaps(stage.ran.filter(({ instance }) => !instance.startsWith('c')))).toEqual([]);
  });

  it.each(['config', 'switches', 'assignment', 'running/b', 'meetings/started'])(
    '%s: can be deleted while it cannot be read, and is made again where it is needed',
    async (which) => {
      const stage = new Stage(settle);
      const job = stage.job({ shards: 4 });
      const meets = { options: { listeners: { beforeOnce: () => {}, patience: 2_000 } } };
      await stage.start('a', job, meets);
      const b = await stage.start('b', job, meets);
      expect(await nextRound(stage)).toEqual(four);
      const registry = vandal(stage);
      const path = `/ns/job/${which.replace('/b', `/${b.runner.instance}`)}`;
      await stage.passing(registry.set(path, 'what'));
      await stage.pass(5_000);
      await stage.passing(registry.delete(path));
      await stage.pass(20_000);
      expect(await nextRound(stage)).toEqual(four);
      await stage.start('c', job, meets);
      await stage.pass(12_000);
      expect(await nextRound(stage)).toEqual(four);
      const { status, instances } = await stage.passing(stage.operator().show('job'));
      expect({ status, instances }).toEqual({ status: 'ok', instances: 3 });
      expect(overlaps(stage.ran)).toEqual([]);
    },
  );

  it('trigger: is refused by name, and those after it are taken', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ cron: undefined, shards: 4 }));
    await stage.pass(3_000);
    const registry = vandal(stage);
    const bad = `/ns/job/triggers/${a.runner.instance}/bad`;
    a.registry().faults.cut();
    await stage.passing(registry.create(bad, 'what'));
    await stage.passing(stage.operator().trigger('job', {}));
    a.registry().faults.restore();
    await stage.pass(2_000);
    expect(shardsIn(stage.ran)).toEqual(four);
    expect(stage.logs.join('\n')).toContain(bad);
    expect(await stage.passing(registry.get(bad))).toBeUndefined();
  });
});

describe('an instance that is cut off or frozen at any step of a round', () => {
  const steps = Array.from({ length: 14 }, (_, step) => step);
  const calls = ['get', 'set', 'delete', 'transaction', 'subtree', 'children', 'watch'] as const;

  /** Does something right before the registry is asked for the n-th time from now on. */
  function atStep({ registry }: StageInstance, step: number, deed: () => void): void {
    const client = registry();
    let asked = 0;
    for (const name of calls) {
      const own = client[name].bind(client) as (...given: unknown[]) => Promise<unknown>;
      Object.assign(client, {
        [name]: (...given: unknown[]) => {
          if (asked++ === step) deed();
          return own(...given);
        },
      });
    }
  }

  const faults = {
    'that drops its requests': ({ registry }) => {
      const { faults } = registry();
      faults.cut('requests');
      return () => faults.restore();
    },
    'that loses the answers': ({ registry }) => {
      const { faults } = registry();
      faults.cut('answers');
      return () => faults.restore();
    },
    'that freezes': ({ process }) => {
      process.freeze();
      return () => process.thaw();
    },
  } satisfies Record<string, (instance: StageInstance) => () => void>;

  for (const [what, begin] of Object.entries(faults))
    for (const long of [false, true])
      it(`${what}${long ? ' beyond its session' : ''}`, async () => {
        for (const step of steps) {
          const stage = new Stage(settle);
          const job = stage.job({ shards: 4, failover: true });
          const a = await stage.start('a', job, { takes: 900 });
          await stage.start('b', job, { takes: 900 });
          await stage.pass(9_500);
          atStep(a, step, () => {
            const end = begin(a);
            stage.clock.setTimer(long ? 2 * SESSION : 700, end);
          });
          await stage.pass(60_000);
          const message = `step ${step}`;
          for (const shard of four) {
            const own = stage.ran.filter((one) => one.shard === shard);
            // A frozen handler cannot be stopped: what it writes is refused by its token.
            const tokens = own.map(({ token }) => token);
            expect(tokens, message).toEqual([...new Set(tokens)].sort((x, y) => x - y));
            const ticks = own.filter(({ cause, due }) => cause !== 'failover' && due !== undefined);
            expect(new Set(ticks.map(({ due }) => due)).size, message).toBe(ticks.length);
          }
          if (what !== 'that freezes') expect(overlaps(stage.ran), message).toEqual([]);
          expect(await nextRound(stage), message).toEqual(four);
          const { status, instances } = await stage.passing(stage.operator().show('job'));
          expect({ status, instances }, message).toEqual({ status: 'ok', instances: 2 });
        }
      });
});

describe('a clock that is wrong', () => {
  const YEAR = 365 * 24 * HOUR;

  it('and is set right again does not silence its job', async () => {
    const stage = new Stage(settle);
    let late = 0;
    await stage.start('a', stage.job({ shards: 4 }), { late: () => late });
    expect(await nextRound(stage)).toEqual(four);
    late = -YEAR;
    await stage.pass(120_000);
    late = 0;
    await stage.pass(120_000);
    expect(await nextRound(stage)).toEqual(four);
  });

  it('keeps no shard of its instance from running elsewhere', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4 });
    const a = await stage.start('a', job, { late: -YEAR });
    await stage.start('b', job);
    await stage.pass(25_000);
    await stage.passing(a.runner.stop());
    await stage.pass(5_000);
    const place = stage.ran.length;
    await stage.pass(10_000);
    expect(perServer(stage.since(place))).toEqual({ b: 4 });
  });

  it('answers the one who triggered a round that it refuses', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ cron: undefined, shards: 4, maxTimeDiff: '1s' }), {
      late: 5_000,
    });
    await stage.pass(3_000);
    const operator = stage.operator();
    await stage.passing(operator.trigger('job', { id: 'mine' }));
    await stage.pass(1_000);
    expect(stage.ran).toEqual([]);
    expect(await stage.passing(operator.progress('job', 'mine'))).toMatchObject({
      waiting: [],
      ended: [a.runner.instance],
      failed: [{ error: expect.stringContaining('maxTimeDiff is 1000 ms') }],
    });
  });
});

describe('an instance that is stopped', () => {
  it('while it waits for others to end leaves at once', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4 });
    const a = await stage.start('a', job);
    await stage.start('b', job, { takes: 60_000 });
    await stage.pass(12_000);
    await stage.start('c', job);
    await stage.pass(9_000);
    const began = stage.clock.now();
    await stage.passing(a.runner.stop());
    expect(stage.clock.now() - began).toBeLessThan(1_000);
    expect(stage.errors).toEqual([]);
    await stage.pass(60_000);
    expect(perServer(stage.since(4))).toEqual({ b: 2, c: expect.any(Number) });
    expect(overlaps(stage.ran)).toEqual([]);
  });

  it('twice is awaited twice, and the second call may have less patience', async () => {
    const stage = new Stage(settle);
    const a = await stage.start('a', stage.job({ shards: 1 }), { takes: 60_000 });
    await stage.pass(11_000);
    void a.runner.stop();
    await stage.passing(a.runner.stop(2_000));
    expect(stage.ran[0].ended).toBe(13_000);
  });

  it('by an operator runs its shards to their end, and nobody else runs them meanwhile', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4, failover: true });
    await stage.start('a', job);
    const b = await stage.start('b', job, { takes: 25_000 });
    await stage.pass(12_000);
    await stage.passing(stage.operator().shutDown('job', b.runner.instance));
    await stage.pass(60_000);
    expect(stage.ran.filter(({ instance }) => instance.startsWith('b')).map(({ ended }) => ended)).toEqual([
      35_000, 35_000,
    ]);
    expect(overlaps(stage.ran)).toEqual([]);
    expect(await nextRound(stage)).toEqual(four);
  });

  it('by the loss of its entry aborts what it runs: others have its shards', async () => {
    const stage = new Stage(settle);
    const job = stage.job({ shards: 4 });
    const a = await stage.start('a', job, { takes: 25_000 });
    await stage.start('b', job);
    await stage.pass(12_000);
    await stage.passing(vandal(stage).delete(`/ns/job/instances/${a.runner.instance}`));
    await stage.pass(2_000);
    expect(stage.ran.filter(({ instance }) => instance.startsWith('a')).map(({ ended }) => ended)).toEqual([
      12_000, 12_000,
    ]);
    expect(await nextRound(stage)).toEqual(four);
  });
});

it('a handler that ignores its signal is not tried again beside itself', async () => {
  const stage = new Stage(settle);
  await stage.start('a', stage.job({ shards: 1 }), {
    handler: () => new Promise(() => {}),
    options: { limits: { retries: 3, retryDelay: 100, timeout: 500, grace: 100 } },
  });
  await stage.pass(15_000);
  expect(stage.ran).toHaveLength(1);
  expect(stage.errors).toEqual(['time limit of 500 ms; the handler did not return within 100 ms after that']);
  await stage.pass(10_000);
  expect(stage.ran).toHaveLength(2);
  expect(stage.ran[1].token).toBeGreaterThan(stage.ran[0].token);
});
