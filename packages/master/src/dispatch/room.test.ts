import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('the room of a master on $name', ({ open, close }) => {
  afterAll(close);
  const start = async (after = 10) =>
    Engine.start({ after, state: 'success' }, { room: 5 }, { store: await open() });
  const submit = async (engine: Engine, count: number, ...of: Parameters<typeof workflow>) => {
    const runs: number[] = [];
    for (let k = 0; k < count; k++) runs.push(await engine.submit(workflow(...of)));
    return runs;
  };
  const statesOf = async (engine: Engine, runs: readonly number[]) => [
    ...new Set(await Promise.all(runs.map(async (run) => (await engine.states(run)).run))),
  ];
  const until = async (engine: Engine, runs: readonly number[], state: string) => {
    while ((await statesOf(engine, runs)).join() !== state) await engine.pass(500);
  };
  const gone = { workerGroup: 'gone' };
  const ownerOf = async (engine: Engine, run: number) => (await engine.store.readRun({ id: run }))?.run.owner;

  it('is not taken by runs whose worker group nobody serves; they go on when a worker comes', async () => {
    const engine = await start(500);
    const stuck = await submit(engine, 12, [task('a', gone), task('b', { needs: ['a'] })], { name: 'stuck' });
    await engine.pass(10_000);
    const free = await submit(engine, 3, [task('a')], { name: 'free' });
    await until(engine, free, 'success');
    expect(await statesOf(engine, stuck)).toEqual(['running']);
    expect(await ownerOf(engine, stuck[0])).toBeNull();
    engine.startWorker('w2', { groups: ['gone'] });
    while ((await engine.states(stuck[0])).tasks.a !== 'running') await engine.pass(10);
    expect(await ownerOf(engine, stuck[0])).toBe('m1');
    await until(engine, stuck, 'success');
    expect(engine.executed).toHaveLength(12 * 2 + 3);
  });

  it('is not taken by such runs either while a time limit of theirs is due, and that ends them', async () => {
    const engine = await start();
    const timeout = { after: 60_000, action: 'fail' } as const;
    const stuck = await submit(engine, 7, [task('a', gone)], { name: 'stuck', timeout });
    await engine.pass(10_000);
    const free = await submit(engine, 3, [task('a')], { name: 'free' });
    await until(engine, free, 'success');
    expect(await statesOf(engine, stuck)).toEqual(['running']);
    await engine.pass(70_000);
    expect(await statesOf(engine, stuck)).toEqual(['failed']);
  });

  it('is taken by runs that a worker could serve', async () => {
    const engine = await start(60_000);
    const runs = await submit(engine, 7, [task('a')], { name: 'slow' });
    await engine.pass(20_000);
    const states = await Promise.all(runs.map(async (run) => (await engine.states(run)).run));
    expect(states.filter((state) => state === 'running')).toHaveLength(5);
    await until(engine, runs, 'success');
  });

  it('leaves a run that was set aside to be stopped', async () => {
    const engine = await start();
    const [first, ...stuck] = await submit(engine, 7, [task('a', gone)], { name: 'stuck' });
    while ((await ownerOf(engine, first)) !== null) await engine.pass(100);
    await engine.control(first, { type: 'stop' });
    await until(engine, [first], 'stopped');
    expect(await statesOf(engine, stuck)).toEqual(['running']);
    expect((await engine.store.readQueueDepth()).groups).toMatchObject([{ group: 'gone', count: 6 }]);
  });
});
