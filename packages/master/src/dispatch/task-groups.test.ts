import { limitOfGroup } from '@orrery/core/admit';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

const group = (priority = 0) => ({ group: { name: 'db', priority } });
const names = (engine: Engine) => engine.executed.map(({ taskName }) => taskName);

async function start(slots: number): Promise<Engine> {
  const engine = await Engine.start({ after: 1_000 });
  await engine.store.setTaskGroup({
    project: 'default',
    name: 'db',
    slots,
    by: 'lw',
    now: engine.clock.now(),
  });
  return engine;
}

const held = async ({ store }: Engine) => {
  const [{ held, waiting }] = await store.listTaskGroups({ project: 'default' });
  return { held, waiting };
};

describe('tasks of a group', () => {
  it('go on as soon as a slot is free, the larger priority first', async () => {
    const engine = await start(1);
    const run = await engine.submit(
      workflow([task('a', group(9)), task('b', group()), task('c', group(5)), task('free')]),
    );
    await engine.pass(500);
    expect(names(engine)).toEqual(['a', 'free']);
    expect(await held(engine)).toEqual({ held: 1, waiting: 2 });
    await engine.pass(1_100);
    expect(names(engine)).toEqual(['a', 'free', 'c']);
    await engine.pass(3_000);
    expect((await engine.states(run)).run).toBe('success');
    expect(await held(engine)).toEqual({ held: 0, waiting: 0 });
  });

  it('get the first free slot by priority too, when several are ready at once', async () => {
    const engine = await start(1);
    await engine.submit(workflow([1, 2, 3].map((priority) => task(`p${priority}`, group(priority)))));
    await engine.pass(10_000);
    expect(names(engine)).toEqual(['p3', 'p2', 'p1']);
  });

  it('are started past their group by start-now', async () => {
    const engine = await start(1);
    const run = await engine.submit(workflow([task('a', group()), task('b', group()), task('c', group())]));
    await engine.pass(300);
    await engine.control(run, { type: 'start-now', task: 'c' });
    await engine.pass(300);
    expect(names(engine)).toEqual(['a', 'c']);
    expect(await held(engine)).toEqual({ held: 2, waiting: 1 });
    await engine.pass(5_000);
    expect((await engine.states(run)).run).toBe('success');
    expect(await held(engine)).toEqual({ held: 0, waiting: 0 });
  });

  it('hold their slots through the death of the master, and give them back when they are killed', async () => {
    const engine = await Engine.start({ after: 60_000 });
    const now = () => engine.clock.now();
    await engine.store.setTaskGroup({ project: 'default', name: 'db', slots: 1, by: 'lw', now: now() });
    const run = await engine.submit(workflow([task('a', group()), task('b', group())]));
    await engine.pass(1_000);
    engine.crashMaster();
    await engine.pass(10_000);
    expect(names(engine)).toEqual(['a']);
    expect(await held(engine)).toEqual({ held: 1, waiting: 1 });
    await engine.control(run, { type: 'kill', task: 'a' });
    await engine.pass(5_000);
    expect(names(engine)).toEqual(['a', 'b']);
    await engine.control(run, { type: 'stop' });
    await engine.pass(5_000);
    expect(await held(engine)).toEqual({ held: 0, waiting: 0 });
  });

  it('leave no slot behind that a sweep would find', async () => {
    const engine = await start(1);
    const name = limitOfGroup('default', 'db');
    const { store, clock } = engine;
    await engine.submit(workflow([task('a', group())]));
    await engine.pass(3_000);
    const self = { node: 'm1', epoch: 1 };
    const lost = await store.sweepLimits({ self, limit: 10, now: clock.now() });
    expect(lost).toEqual({ freed: 0, admitted: 0, next: undefined });
    expect((await store.listLimits({ limit: 10 })).find((limit) => limit.name === name)?.held).toBe(0);
  });
});

describe('the environment of a task', () => {
  const set = (
    { store, clock }: Engine,
    variables: Record<string, string>,
    workerGroups: readonly string[] = [],
    projects: readonly string[] = [],
  ) =>
    store.setEnvironment({
      name: 'prod',
      environment: { description: '', variables, workerGroups, projects },
      by: 'lw',
      now: clock.now(),
    });

  it('is given as it stands when a worker takes it, with its secrets', async () => {
    const engine = await Engine.start({}, {}, { secrets: { pw: 'hush' } });
    await set(engine, { HOST: 'db', PASSWORD: 'x${secret.pw}$HOME' });
    await engine.submit(workflow([task('a')], { environment: 'prod' }));
    await engine.pass(1_000);
    await set(engine, { HOST: 'other' });
    await engine.submit(workflow([task('b', { environment: 'prod' })]));
    await engine.pass(1_000);
    expect(engine.executed).toMatchObject([
      { environment: { HOST: 'db', PASSWORD: 'xhush$HOME' }, secrets: ['hush'] },
      { environment: { HOST: 'other' }, secrets: [] },
    ]);
  });

  it('that is gone fails its attempts and says so', async () => {
    const engine = await Engine.start();
    const run = await engine.submit(workflow([task('a')], { environment: 'prod' }));
    await engine.pass(1_000);
    expect((await engine.states(run)).run).toBe('failed');
    expect(await engine.store.listAttempts({ run })).toMatchObject([
      { error: 'there is no environment "prod"; make it, or publish the workflow with another' },
    ]);
  });

  it('that has become one for other worker groups fails attempts of this one and says so', async () => {
    const engine = await Engine.start({}, {}, { workers: { w1: { groups: ['default', 'gpu', 'mac'] } } });
    await set(engine, { HOST: 'db' }, ['gpu', 'mac']);
    const tasks = [task('a'), task('b', { workerGroup: 'gpu' })];
    const run = await engine.submit(workflow(tasks, { environment: 'prod' }));
    await engine.pass(2_000);
    expect((await engine.states(run)).tasks).toEqual({ a: 'failed', b: 'success' });
    const text =
      'environment "prod" is for worker group gpu, mac, and this task is for default; change one of them';
    expect(await engine.store.listAttempts({ run })).toContainEqual(expect.objectContaining({ error: text }));
    expect(engine.executed.map(({ taskName }) => taskName)).toEqual(['b']);
  });

  it('that has become one for other projects fails attempts of this one, without its variables', async () => {
    const engine = await Engine.start();
    await set(engine, { HOST: 'db' });
    const run = await engine.submit(workflow([task('a', { workerGroup: 'late' })], { environment: 'prod' }));
    await engine.pass(1_000);
    await set(engine, { HOST: 'db' }, [], ['sales']);
    engine.startWorker('w2', { groups: ['late'] });
    await engine.pass(3_000);
    expect((await engine.states(run)).run).toBe('failed');
    expect(await engine.store.listAttempts({ run })).toMatchObject([
      { error: 'environment "prod" is not open to project default' },
    ]);
    expect(engine.executed).toEqual([]);
  });

  it('is asked for again where the store was away', async () => {
    const engine = await Engine.start();
    await set(engine, { HOST: 'db' });
    engine.away = true;
    const run = await engine.submit(workflow([task('a')], { environment: 'prod' }));
    await engine.pass(3_000);
    engine.away = false;
    await engine.pass(10_000);
    expect((await engine.states(run)).run).toBe('success');
  });
});
