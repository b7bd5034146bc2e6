import type { TaskSpec } from '@orrery/core/model';
import { Engine } from '@orrery/testkit/engine';
import { retries, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const MINUTE = 60_000;
const alone = () => Engine.start({ after: 100 }, {}, { workers: {} });
const flow = (given: Partial<TaskSpec>) => workflow([task('a', given)]);
const states = async (engine: Engine, run: number) => (await engine.states(run)).run;
const whyOf = async ({ store }: Engine, run: number) => (await store.readRun({ id: run }))?.tasks[0].body;

describe('a task whose worker group nobody serves', () => {
  it('waits unless it says otherwise', async () => {
    const engine = await alone();
    const run = await engine.submit(flow({}));
    await engine.pass(60 * MINUTE);
    expect(await states(engine, run)).toBe('running');
  });

  it('fails at once where it says so, shard by shard, and says why', async () => {
    const engine = await alone();
    const shards = { count: 3, parameters: {}, plan: 'none', strategy: 'average' } as const;
    const runs = [
      await engine.submit(flow({ onNoWorker: { fail: 0 } })),
      await engine.submit(flow({ onNoWorker: { fail: 0 }, shards })),
    ];
    await engine.pass(2_000);
    for (const run of runs) {
      expect(await states(engine, run)).toBe('failed');
      expect(await whyOf(engine, run)).toContain('no live worker serves worker group default');
    }
  });

  it('fails after a while without any, also when the master died meanwhile', async () => {
    const engine = await alone();
    const run = await engine.submit(flow({ onNoWorker: { fail: 10 * MINUTE } }));
    await engine.pass(5 * MINUTE);
    engine.crashMaster();
    await engine.pass(4 * MINUTE);
    expect(await states(engine, run)).toBe('running');
    await engine.pass(2 * MINUTE);
    expect(await states(engine, run)).toBe('failed');
  });

  it('runs when one comes in time', async () => {
    const engine = await alone();
    const run = await engine.submit(flow({ onNoWorker: { fail: MINUTE } }));
    await engine.pass(MINUTE / 2);
    engine.startWorker('late');
    await engine.pass(5_000);
    expect(await states(engine, run)).toBe('success');
  });

  it('is tried again as its retries say, and succeeds when a worker has come', async () => {
    const engine = await alone();
    const given = { onNoWorker: { fail: 0 }, retries: retries(2, { delay: MINUTE }) };
    const run = await engine.submit(flow(given));
    await engine.pass(MINUTE / 2);
    expect(await states(engine, run)).toBe('running');
    engine.startWorker('late');
    await engine.pass(MINUTE);
    expect(await states(engine, run)).toBe('success');
  });

  it('waits for workers that are only busy', async () => {
    const engine = await Engine.start({ after: 3 * MINUTE }, {}, { workers: { w1: { slots: 1 } } });
    const run = await engine.submit(
      workflow([task('a'), task('b', { onNoWorker: { fail: MINUTE }, priority: 'low' })]),
    );
    await engine.pass(7 * MINUTE);
    expect(await states(engine, run)).toBe('success');
  });
});
