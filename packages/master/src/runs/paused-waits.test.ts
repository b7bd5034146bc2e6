import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { backfill, subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())(
  'a run that is paused while it waits for its turn, on $name',
  ({ open, close }) => {
    afterAll(close);
    const serial = workflow([task('a')], { name: 'child', mode: 'serial-wait' });
    const parent = workflow([subWorkflow('call')], { name: 'parent' });

    const start = async () => Engine.start({ after: 2_000 }, {}, { store: await open() });
    const stateOf = async (engine: Engine, run: number) => (await engine.states(run)).run;
    const until = async (engine: Engine, run: number, state: string) => {
      while ((await stateOf(engine, run)) !== state) await engine.pass(10);
    };
    const children = async (engine: Engine, run: number) =>
      (await engine.store.listChildRuns({ run, limit: 10 })).map(({ id }) => id);
    const limit = async (engine: Engine) => (await engine.store.listLimits({ limit: 1 }))[0];
    const runsOf = (engine: Engine) => engine.executed.map(({ attempt }) => attempt.run);

    /** A run that holds the only slot, and a parent whose child waits behind it. */
    const behind = async (given = serial) => {
      const engine = await start();
      const first = await engine.submit(given);
      await until(engine, first, 'running');
      const run = await engine.submit(parent);
      await until(engine, run, 'running');
      await engine.pass(300);
      const [child] = await children(engine, run);
      expect(await stateOf(engine, child)).toBe('waiting');
      return { engine, first, run, child };
    };

    it.each([
      ['by its mode', serial],
      ['by a limit', workflow([task('a')], { name: 'child', limit: 1 })],
    ])('stays paused with its parent, waits again when that is resumed, %s', async (_, given) => {
      const { engine, run, child } = await behind(given);
      await engine.control(run, { type: 'pause' });
      await engine.pass(500);
      expect([await stateOf(engine, run), await stateOf(engine, child)]).toEqual(['paused', 'paused']);
      engine.crashMaster();
      await engine.pass(20_000);
      expect([await stateOf(engine, run), await stateOf(engine, child)]).toEqual(['paused', 'paused']);
      expect(runsOf(engine)).not.toContain(child);
      await engine.control(run, { type: 'resume' });
      await engine.pass(5_000);
      expect([await stateOf(engine, run), await stateOf(engine, child)]).toEqual(['success', 'success']);
      expect(await limit(engine)).toMatchObject({ held: 0, waiting: 0 });
    });

    it('lets others pass meanwhile, and is back at its place in the line when it is resumed', async () => {
      const { engine, run, child } = await behind();
      const [second, third] = [await engine.submit(serial), await engine.submit(serial)];
      await engine.control(run, { type: 'pause' });
      await until(engine, second, 'running');
      await engine.control(run, { type: 'resume' });
      await engine.pass(500);
      expect([await stateOf(engine, child), await stateOf(engine, third)]).toEqual(['waiting', 'waiting']);
      await engine.pass(20_000);
      expect(runsOf(engine).slice(1)).toEqual([second, child, third]);
      expect(await stateOf(engine, run)).toBe('success');
      expect(await limit(engine)).toMatchObject({ held: 0, waiting: 0 });
    });

    it('is stopped with its parent', async () => {
      const { engine, run, child } = await behind();
      await engine.control(run, { type: 'pause' });
      await until(engine, run, 'paused');
      await engine.control(run, { type: 'stop' });
      await engine.pass(10_000);
      expect([await stateOf(engine, run), await stateOf(engine, child)]).toEqual(['stopped', 'stopped']);
      expect(runsOf(engine)).toHaveLength(1);
      expect(await limit(engine)).toMatchObject({ held: 0, waiting: 0 });
    });

    it('is reached in a backfill, through the death of the master', async () => {
      const engine = await start();
      await engine.publish({ ...serial, name: 'daily' });
      const times = [1, 2, 3, 4].map((day) => 1_700_000_000_000 + day * 86_400_000);
      const run = await engine.submit(backfill({ times, parallelism: 3 }));
      await engine.pass(1_000);
      expect(runsOf(engine)).toHaveLength(1);
      await engine.control(run, { type: 'pause' });
      await engine.pass(200);
      engine.crashMaster();
      await engine.pass(30_000);
      expect(await stateOf(engine, run)).toBe('paused');
      expect(runsOf(engine)).toHaveLength(1);
      await engine.control(run, { type: 'resume' });
      await engine.pass(30_000);
      expect(await stateOf(engine, run)).toBe('success');
      expect(runsOf(engine)).toEqual(runsOf(engine).toSorted((a, b) => a - b));
      expect(runsOf(engine)).toHaveLength(4);
    });

    it('does not go on when it waits to be recovered and its parent is paused', async () => {
      const mood = { fails: true };
      const store = await open();
      const engine = await Engine.start(
        () => ({ after: 2_000, state: mood.fails ? 'failed' : 'success' }),
        {},
        { store },
      );
      await engine.publish(serial);
      const run = await engine.submit(parent);
      await until(engine, run, 'failed');
      mood.fails = false;
      const other = await engine.submit(serial);
      await until(engine, other, 'running');
      await engine.control(run, { type: 'recover' });
      await engine.pass(200);
      await engine.control(run, { type: 'pause' });
      await engine.pass(10_000);
      expect(await stateOf(engine, run)).toBe('paused');
      expect(runsOf(engine)).toHaveLength(2);
      await engine.control(run, { type: 'resume' });
      await engine.pass(10_000);
      expect(await stateOf(engine, run)).toBe('success');
      expect(await limit(engine)).toMatchObject({ held: 0, waiting: 0 });
    });

    it('is reached also when its parent is paused right after it has asked for it', async () => {
      const { engine, first, run } = await behind();
      const two = await engine.submit(workflow([subWorkflow('call')], { name: 'parent' }));
      await engine.pass(20);
      await engine.control(two, { type: 'pause' });
      await engine.pass(20_000);
      expect(await stateOf(engine, first)).toBe('success');
      expect(await stateOf(engine, run)).toBe('success');
      expect(await stateOf(engine, two)).toBe('paused');
      expect(runsOf(engine)).toHaveLength(2);
    });

    it('can be paused, resumed and stopped by itself', async () => {
      const { engine, child, run } = await behind();
      await engine.control(child, { type: 'pause' });
      await until(engine, child, 'paused');
      expect(await stateOf(engine, run)).toBe('running');
      await engine.control(child, { type: 'resume' });
      await until(engine, child, 'waiting');
      await engine.control(child, { type: 'pause' });
      await engine.control(child, { type: 'stop' });
      await until(engine, child, 'stopped');
      await engine.pass(5_000);
      expect(runsOf(engine)).toHaveLength(1);
    });
  },
);
