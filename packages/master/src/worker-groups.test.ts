import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { expect, it } from 'vitest';

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
