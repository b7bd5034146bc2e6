import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

const of = (tenant: string, name = tenant, more = {}) => ({ ...workflow([task('a')], more), tenant, name });

const cap = ({ store, clock }: Engine, runs: number | null, tenants = {}) =>
  store.setRunCaps({ caps: { runs, tenants }, by: 'lw', now: clock.now() });

/** How many runs hold a slot of a limit and how many wait for one. */
const standing = async ({ store }: Engine, name: string) => {
  const [{ held, waiting }] = await store.readLimits({ names: [name] });
  return { held, waiting };
};

/** Tenants in the order in which their runs were given to the worker. */
const served = (engine: Engine) => engine.executed.map((given) => given.workflow);

describe.each(testDatabases())('a cap on open runs on $name', ({ open, close }) => {
  afterAll(close);
  const start = async (after = 10) => Engine.start({ after, state: 'success' }, {}, { store: await open() });
  const stateOf = async (engine: Engine, run: number) => (await engine.states(run)).run;
  const until = async (engine: Engine, run: number, state: string) => {
    while ((await stateOf(engine, run)) !== state) await engine.pass(10);
  };

  it('lets the one run of a tenant in next, however many of another wait', async () => {
    const engine = await start(1_000);
    await cap(engine, 2);
    for (let k = 0; k < 200; k++) await engine.submit(of('flood'));
    await engine.pass(500);
    await engine.submit(of('quiet'));
    await engine.pass(4_000);
    expect(
      served(engine)
        .slice(0, 4)
        .filter((tenant) => tenant === 'quiet'),
    ).toHaveLength(1);
    expect(await standing(engine, 'all runs')).toMatchObject({ held: 2 });
  });

  it('of one goes from tenant to tenant, however many of each wait', async () => {
    const engine = await start(1_000);
    await cap(engine, 1);
    for (const tenant of ['a', 'b', 'c']) for (let k = 0; k < 5; k++) await engine.submit(of(tenant));
    await engine.pass(9_500);
    const order = served(engine);
    for (const from of [1, 4]) expect(new Set(order.slice(from, from + 3))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('is shared by weight', async () => {
    const engine = await start(1_000);
    await cap(engine, 3, { heavy: { runs: null, weight: 2 } });
    for (let k = 0; k < 12; k++) {
      await engine.submit(of('heavy'));
      await engine.submit(of('light'));
    }
    await engine.pass(5_500);
    const counted = Object.entries(Object.groupBy(served(engine).slice(3, 12), (tenant) => tenant));
    expect(Object.fromEntries(counted.map(([tenant, list]) => [tenant, list?.length]))).toEqual({
      heavy: 6,
      light: 3,
    });
  });

  it('of a tenant holds for its runs of all workflows, through crashes and stops', async () => {
    const engine = await start(2_000);
    await cap(engine, null, { sales: { runs: 1, weight: 1 } });
    const first = await engine.submit(of('sales', 'one'));
    await engine.pass(200);
    const second = await engine.submit(of('sales', 'two'));
    const third = await engine.submit(of('sales', 'three'));
    const free = await engine.submit(of('other'));
    await engine.pass(500);
    const statesOf = (...runs: number[]) => Promise.all(runs.map((run) => stateOf(engine, run)));
    expect(await statesOf(first, second, free)).toEqual(['running', 'waiting', 'running']);
    await engine.control(second, { type: 'stop' });
    engine.crashMaster();
    await engine.pass(20_000);
    expect(await statesOf(first, second, third)).toEqual(['success', 'stopped', 'success']);
    expect(await standing(engine, 'tenant sales')).toEqual({ held: 0, waiting: 0 });
  });

  it('does not stand in the way of child runs, so that a parent never waits for itself', async () => {
    const engine = await start();
    await cap(engine, 1);
    await engine.publish(of('default', 'child'));
    const parent = workflow([
      { ...task('call'), type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } },
    ]);
    const run = await engine.submit({ ...parent, name: 'parent' });
    const next = await engine.submit(of('default', 'next'));
    await engine.pass(10_000);
    expect((await engine.states(run)).run).toBe('success');
    expect((await engine.states(next)).run).toBe('success');
  });

  it('that is set while runs are open lets them end, and goes when it is taken away', async () => {
    const engine = await start(1_000);
    const before = await engine.submit(of('a'));
    await engine.pass(200);
    await cap(engine, 0);
    const waiting = await engine.submit(of('a'));
    await engine.pass(5_000);
    expect([(await engine.states(before)).run, (await engine.states(waiting)).run]).toEqual([
      'success',
      'waiting',
    ]);
    await cap(engine, null);
    engine.hint();
    await engine.pass(3_000);
    expect((await engine.states(waiting)).run).toBe('success');
  });

  it('counts the runs that are open when it is first set, and lets in others as they end', async () => {
    const engine = await start(1_000);
    const early = [await engine.submit(of('a')), await engine.submit(of('a')), await engine.submit(of('b'))];
    await engine.pass(500);
    await cap(engine, 2, { a: { runs: 5, weight: 1 } });
    expect(await standing(engine, 'all runs')).toEqual({ held: 3, waiting: 0 });
    expect(await standing(engine, 'tenant a')).toEqual({ held: 2, waiting: 0 });
    const late = await engine.submit(of('a'));
    await engine.pass(300);
    expect(await stateOf(engine, late)).toBe('waiting');
    await engine.pass(5_000);
    for (const run of [...early, late]) expect(await stateOf(engine, run)).toBe('success');
    expect(await standing(engine, 'all runs')).toEqual({ held: 0, waiting: 0 });
    expect(await standing(engine, 'tenant a')).toEqual({ held: 0, waiting: 0 });
  });

  it('holds for reruns of runs that ended before it was set', async () => {
    const engine = await start(1_000);
    const first = await engine.submit(of('a'));
    await engine.pass(2_000);
    const open = await engine.submit(of('b'));
    await engine.pass(200);
    await cap(engine, 1);
    await engine.control(first, { type: 'rerun', scope: { kind: 'all', tasks: [] } });
    await engine.pass(200);
    expect(await stateOf(engine, first)).toBe('success');
    expect(await standing(engine, 'all runs')).toEqual({ held: 1, waiting: 1 });
    await until(engine, first, 'running');
    expect(await stateOf(engine, open)).toBe('success');
    expect(await standing(engine, 'all runs')).toEqual({ held: 1, waiting: 0 });
    await until(engine, first, 'success');
    expect(await standing(engine, 'all runs')).toEqual({ held: 0, waiting: 0 });
  });

  it('holds for runs that waited for their workflow when it was set', async () => {
    const engine = await start(1_000);
    const line = of('a', 'line', { limit: 1 });
    const [, second] = [await engine.submit(line), await engine.submit(line)];
    const other = await engine.submit(of('a', 'long'));
    await engine.pass(500);
    await cap(engine, null, { a: { runs: 1, weight: 1 } });
    expect(await standing(engine, 'tenant a')).toEqual({ held: 2, waiting: 0 });
    await until(engine, second, 'running');
    expect(await stateOf(engine, other)).toBe('success');
    expect(await standing(engine, 'tenant a')).toEqual({ held: 1, waiting: 0 });
    await until(engine, second, 'success');
    expect(await standing(engine, 'tenant a')).toEqual({ held: 0, waiting: 0 });
  });

  it('does not count child runs when it is set, and forgets nobody when a master dies', async () => {
    const engine = await start(2_000);
    await engine.publish(of('default', 'child'));
    const parent = await engine.submit(workflow([subWorkflow('call')], { name: 'parent' }));
    await engine.pass(500);
    await cap(engine, 3);
    expect(await standing(engine, 'all runs')).toEqual({ held: 1, waiting: 0 });
    engine.crashMaster();
    await engine.pass(20_000);
    expect(await stateOf(engine, parent)).toBe('success');
    expect(await standing(engine, 'all runs')).toEqual({ held: 0, waiting: 0 });
  });
});
