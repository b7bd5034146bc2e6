import type { GroupChoice } from '@orrery/core/queue';
import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

const LONG = 600_000;

describe.each(testDatabases())('a worker group on $name', ({ open, close }) => {
  afterAll(close);

  const slots = (slots: number) => ({ slots });
  /** An engine whose attempts take long, and how its group chooses. */
  async function engineOf(
    choose: GroupChoice,
    workers: Record<string, { slots: number }>,
    weights: Record<string, number> = {},
    after = LONG,
  ): Promise<Engine> {
    const engine = await Engine.start({ after }, {}, { store: await open(), workers });
    const now = engine.clock.now();
    await engine.store.setWorkerChoice({ name: 'default', choose, weights, by: 'lw', now });
    while ((await engine.store.readWorkerUse()).length < Object.keys(workers).length) await engine.pass(100);
    return engine;
  }
  const many = (count: number) => workflow(Array.from({ length: count }, (_, k) => task(`t${k}`)));
  const held = async ({ store }: Engine) =>
    Object.fromEntries((await store.countAssignments()).map(({ worker, count }) => [worker, count]));

  it('that chooses the least loaded fills workers evenly', async () => {
    const engine = await engineOf('least-loaded', { w1: slots(10), w2: slots(10), w3: slots(10) });
    await engine.submit(many(6));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w1: 2, w2: 2, w3: 2 });
    await engine.submit(workflow([task('a'), task('b'), task('c')], { name: 'later' }));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w1: 3, w2: 3, w3: 3 });
  });

  it('that chooses by weight gives a worker with weight 3 three times as much', async () => {
    const engine = await engineOf('weighted', { w1: slots(20), w2: slots(20) }, { w1: 3 });
    await engine.submit(many(8));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w1: 6, w2: 2 });
  });

  it('that is sticky keeps the tasks of a run on one worker', async () => {
    const engine = await engineOf('sticky', { w1: slots(10), w2: slots(10), w3: slots(10) }, {}, 10);
    const chain = workflow([task('a'), task('b', { needs: ['a'] }), task('c', { needs: ['b'] }), task('d')]);
    const runs = [];
    for (let k = 0; k < 8; k++) runs.push(await engine.submit(chain));
    await engine.pass(5_000);
    const used = await Promise.all(
      runs.map(async (run) => {
        const attempts = await engine.store.listAttempts({ run });
        return new Set(attempts.map(({ worker }) => worker));
      }),
    );
    expect(used.map(({ size }) => size)).toEqual(runs.map(() => 1));
    expect(new Set(used.flatMap((one) => [...one])).size).toBeGreaterThan(1);
  });

  it('has no choice left for what finds no room: it waits in the queue for whoever has some first', async () => {
    const engine = await engineOf('least-loaded', { w1: slots(1), w2: slots(1) });
    const run = await engine.submit(many(3));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w1: 1, w2: 1 });
    const place = await engine.store.readQueuePlace({ run, task: 2, shard: -1, number: 1 });
    expect(place).toMatchObject({ target: null });
    engine.startWorker('w3', slots(1));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w1: 1, w2: 1, w3: 1 });
  });

  it('lets another worker take what the chosen one does not take in time', async () => {
    const engine = await engineOf('sticky', { w2: slots(8) });
    // It has joined and looks free, but asks for nothing.
    const [{ id: node, epoch }] = await engine.store.listNodes();
    await engine.store.joinWorker({
      ...{ self: { node, epoch }, worker: 'w1', address: '', slots: 8, groups: ['default'] },
      now: engine.clock.now(),
    });
    for (let k = 0; k < 6; k++) await engine.submit(workflow([task('a')]));
    await engine.pass(1_000);
    const { w2 = 0 } = await held(engine);
    expect(w2).toBeLessThan(6);
    await engine.pass(3_000);
    expect(await held(engine)).toEqual({ w2: 6 });
  });

  it('does not choose a worker that is to be avoided, lost or drained', async () => {
    const engine = await engineOf('least-loaded', { w1: slots(9), w2: slots(9) });
    await engine.store.drainNode({
      ...{ node: 'w1', drain: true, timeout: 0, dryRun: false, actor: 'lw' },
      ...{ silentAfter: 60_000, now: engine.clock.now() },
    });
    await engine.submit(many(3));
    await engine.pass(1_000);
    expect(await held(engine)).toEqual({ w2: 3 });
  });
});
