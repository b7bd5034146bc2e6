import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('a child of another project, on $name', ({ open, close }) => {
  afterAll(close);

  it('starts only while that project allows it', async () => {
    const engine = await Engine.start({ after: 10, state: 'success' }, {}, { store: await open() });
    const { store, clock } = engine;
    const allow = (callableFrom: string[]) =>
      store.setProjectParams({ project: 'other', params: {}, callableFrom, by: 'me', now: clock.now() });
    const settings = { workflow: { project: 'other', name: 'child' }, params: {} };
    const top = workflow([task('sub', { type: 'sub-workflow', with: settings })], { name: 'top' });
    await engine.publish({ ...workflow([task('a')], { name: 'child' }), project: 'other' });
    await allow(['default']);
    const first = await engine.submit(top);
    await engine.pass(1_000);
    await allow([]);
    const second = await engine.submit(top);
    await engine.pass(1_000);
    expect([(await engine.states(first)).run, (await engine.states(second)).run]).toEqual([
      'success',
      'failed',
    ]);
    expect(await store.listChildRuns({ run: second, limit: 1 })).toEqual([]);
  });
});
