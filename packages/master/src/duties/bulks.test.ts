import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('a bulk on $name', ({ open, close }) => {
  afterAll(close);

  const everything = { list: { filter: {}, queued: true, claimed: true }, asked: {} };
  const bulk = (engine: Engine, action: 'stop' | 'recover') =>
    engine.store.createBulk({
      action,
      choice: everything,
      project: null,
      by: 'test',
      now: engine.clock.now(),
    });
  const start = async () =>
    Engine.start(() => ({ after: 60_000, state: 'success' }), {}, { store: await open() });

  it('is found by the beat of a master, which tells the runs, and each does what it is told', async () => {
    const engine = await start();
    const runs = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow([task('a')], { name: `w${k}` })));
    await engine.pass(2_000);
    const { id } = await bulk(engine, 'stop');
    // Nobody hints the master at it.
    await engine.pass(5_000);
    expect((await engine.store.readBulks({ ids: [id] }))[0]).toMatchObject({ state: 'done', told: 3 });
    for (const run of runs) expect((await engine.states(run)).run).toBe('stopped');
    const { id: again } = await bulk(engine, 'recover');
    await engine.pass(70_000);
    expect((await engine.store.readBulks({ ids: [again] }))[0]).toMatchObject({ state: 'done', told: 3 });
    for (const run of runs) expect((await engine.states(run)).run).toBe('success');
  });

  it('that a master left when it died is carried on by the next', async () => {
    const engine = await start();
    const run = await engine.submit(workflow([task('a')]));
    await engine.pass(2_000);
    engine.crashMaster();
    const { id } = await bulk(engine, 'stop');
    await engine.pass(60_000);
    expect((await engine.store.readBulks({ ids: [id] }))[0]).toMatchObject({ state: 'done', told: 1 });
    expect((await engine.states(run)).run).toBe('stopped');
  });
});
