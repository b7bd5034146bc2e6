import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

it('gives a worker the tasks of all its groups, and keeps those of others until one comes', async () => {
  const engine = await Engine.start({}, {}, { workers: { w1: { groups: ['default', 'gpu'] } } });
  const run = await engine.submit(
    workflow([task('a'), task('b', { workerGroup: 'gpu' }), task('c', { workerGroup: 'mac' })]),
  );
  await engine.pass(3_000);
  expect(await engine.states(run)).toEqual({
    run: 'running',
    tasks: { a: 'success', b: 'success', c: 'submitted' },
  });
  expect(await engine.store.readQueuePlace({ run, task: 2, shard: -1, number: 1 })).toMatchObject({
    group: 'mac',
    ahead: 0,
  });
  engine.startWorker('w2', { groups: ['mac'] });
  await engine.pass(3_000);
  expect((await engine.states(run)).run).toBe('success');
});

describe('a worker group that was kept to other projects since a task was published', () => {
  const bind = ({ store, clock }: Engine, projects: readonly string[]) =>
    store.setWorkerGroup({ name: 'gpu', projects, by: 'lw', now: clock.now() });
  const closed = 'worker group "gpu" is not open to project default';

  it('fails the attempt when a worker takes it; the worker never sees it, nor its secrets', async () => {
    const engine = await Engine.start({}, {}, { secrets: { pw: 'hush' } });
    const run = await engine.submit(
      workflow([task('a', { workerGroup: 'gpu', with: { script: '${secret.pw}' } }), task('b')]),
    );
    await engine.pass(2_000);
    await bind(engine, ['sales']);
    engine.startWorker('w2', { groups: ['default', 'gpu'] });
    await engine.pass(3_000);
    expect((await engine.states(run)).tasks).toEqual({ a: 'failed', b: 'success' });
    expect(await engine.store.listAttempts({ run })).toContainEqual(
      expect.objectContaining({ error: closed, state: 'failed' }),
    );
    expect(engine.executed.map(({ taskName }) => taskName)).toEqual(['b']);
  });

  it('takes its own projects, and all of them once it is opened', async () => {
    const engine = await Engine.start();
    await bind(engine, ['sales']);
    const flow = (project: string) => ({ ...workflow([task('a', { workerGroup: 'gpu' })]), project });
    await expect(engine.submit(flow('default'))).rejects.toThrow('is not open to project default');
    const own = await engine.submit(flow('sales'));
    engine.startWorker('w2', { groups: ['gpu'] });
    await engine.pass(3_000);
    expect((await engine.states(own)).run).toBe('success');
    await bind(engine, []);
    const other = await engine.submit(flow('default'));
    await engine.pass(3_000);
    expect((await engine.states(other)).run).toBe('success');
  });
});
