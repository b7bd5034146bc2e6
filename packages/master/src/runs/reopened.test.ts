import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

const rerun = { type: 'rerun', scope: { kind: 'all', tasks: [] } } as const;

describe.each(testDatabases())('a run under a limit that is opened again, on $name', ({ open, close }) => {
  afterAll(close);
  const limited = workflow([task('a')], { name: 'child', limit: 1 });

  /** An engine whose attempts take two seconds, and fail as long as `fails` says so. */
  const start = async () => {
    const mood = { fails: true };
    const engine = await Engine.start(
      () => ({ after: 2_000, state: mood.fails ? 'failed' : 'success' }),
      {},
      { store: await open() },
    );
    return { engine, mood };
  };
  const stateOf = async (engine: Engine, run: number) => (await engine.states(run)).run;
  const until = async (engine: Engine, run: number, state: string) => {
    while ((await stateOf(engine, run)) !== state) await engine.pass(10);
  };
  const actions = async (engine: Engine, run: number) => {
    const of = { kind: 'run', subject: String(run) } as const;
    return (await engine.store.listHistory({ of, limit: 20 })).map(({ action }) => action).toReversed();
  };

  it('refuses a rerun that was asked for while it was open and came when it had ended', async () => {
    const { engine } = await start();
    const run = await engine.submit(limited);
    await until(engine, run, 'running');
    await engine.pass(1_990);
    // Nobody hints the master at it.
    const message = { type: 'control', control: rerun, by: 'test' } as const;
    await engine.store.sendControl({ run, message, now: engine.clock.now() });
    await engine.pass(5_000);
    expect(await stateOf(engine, run)).toBe('failed');
    expect(await actions(engine, run)).toEqual(['rerun', 'rerun-refused']);
    const [refused] = await engine.store.listHistory({
      of: { kind: 'run', subject: String(run) },
      limit: 1,
    });
    expect(refused.body).toContain('finished before this took effect; try again');
    expect(await engine.store.listLimits({ limit: 1 })).toMatchObject([{ held: 0, waiting: 0 }]);
  });

  it('stays ended when a stop takes back the rerun that waits for its slot', async () => {
    const { engine } = await start();
    const run = await engine.submit(limited);
    await until(engine, run, 'failed');
    const other = await engine.submit(limited);
    await until(engine, other, 'running');
    await engine.control(run, rerun);
    await expect(engine.control(run, rerun)).rejects.toThrow('waits for a slot already');
    await engine.control(run, { type: 'stop' });
    await engine.pass(10_000);
    expect(await stateOf(engine, run)).toBe('failed');
    expect((await engine.store.readRun({ id: run }))?.run.owner).toBeNull();
    expect(await actions(engine, run)).toEqual(['rerun', 'stop', 'stop-done']);
    expect(engine.executed).toHaveLength(2);
  });

  it('takes its slot also when its parent recovers it, and goes on when there is one', async () => {
    const { engine, mood } = await start();
    await engine.publish(limited);
    const parent = await engine.submit(workflow([subWorkflow('call')], { name: 'parent' }));
    await until(engine, parent, 'failed');
    mood.fails = false;
    const other = await engine.submit(limited);
    await until(engine, other, 'running');
    await engine.control(parent, { type: 'recover' });
    await engine.pass(1_000);
    expect(engine.executed).toHaveLength(2);
    expect(await engine.store.listLimits({ limit: 1 })).toMatchObject([{ held: 1, waiting: 1 }]);
    await engine.pass(10_000);
    expect(await stateOf(engine, parent)).toBe('success');
    expect(engine.executed).toHaveLength(3);
    expect(await engine.store.listLimits({ limit: 1 })).toMatchObject([{ held: 0, waiting: 0 }]);
  });

  it('lets a parent end that is stopped, or whose child is, while the child waits to be recovered', async () => {
    const { engine } = await start();
    await engine.publish(limited);
    for (const stopped of ['parent', 'child']) {
      const parent = await engine.submit(workflow([subWorkflow('call')], { name: 'parent' }));
      await until(engine, parent, 'failed');
      const [child] = await engine.store.listChildRuns({ run: parent, limit: 1 });
      const other = await engine.submit(limited);
      await until(engine, other, 'running');
      await engine.control(parent, { type: 'recover' });
      await engine.pass(200);
      expect(await stateOf(engine, parent)).toBe('running');
      await engine.control(stopped === 'parent' ? parent : child.id, { type: 'stop' });
      await engine.pass(10_000);
      expect(await stateOf(engine, parent)).toBe(stopped === 'parent' ? 'stopped' : 'failed');
      expect(await stateOf(engine, child.id)).toBe('failed');
      expect(await engine.store.listLimits({ limit: 1 })).toMatchObject([{ held: 0, waiting: 0 }]);
    }
  });
});
