import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { dynamic, task, workflow } from '@orrery/testkit/workflows';
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

  it('is recovered only while that project allows it', async () => {
    let state: 'failed' | 'success' = 'failed';
    const engine = await Engine.start(() => ({ after: 10, state }), {}, { store: await open() });
    const { store, clock } = engine;
    const allow = (callableFrom: string[]) =>
      store.setProjectParams({ project: 'other', params: {}, callableFrom, by: 'me', now: clock.now() });
    const calls = { project: 'other', name: 'child' };
    const sub = task('sub', { type: 'sub-workflow', with: { workflow: calls, params: {} } });
    const many = dynamic('many', { workflow: calls });
    await engine.publish({ ...workflow([task('a')], { name: 'child' }), project: 'other' });
    await allow(['default']);
    const top = await engine.submit(workflow([sub, many], { name: 'top' }));
    await engine.pass(1_000);
    const children = async () => {
      const runs = await store.listChildRuns({ run: top, limit: 9 });
      return runs.map((each) => each.state).join(' ');
    };
    expect(await children()).toBe('failed failed failed failed');
    state = 'success';
    await allow([]);
    await engine.control(top, { type: 'recover' });
    await engine.pass(1_000);
    expect([(await engine.states(top)).run, await children()]).toEqual([
      'failed',
      'failed failed failed failed',
    ]);
    await allow(['default']);
    await engine.control(top, { type: 'recover' });
    await engine.pass(1_000);
    expect([(await engine.states(top)).run, await children()]).toEqual([
      'success',
      'success success success success',
    ]);
  });

  it('is awaited only while that project allows it', async () => {
    const engine = await Engine.start({ after: 10, state: 'success' }, {}, { store: await open() });
    const { store, clock } = engine;
    const allow = (callableFrom: string[]) =>
      store.setProjectParams({ project: 'other', params: {}, callableFrom, by: 'me', now: clock.now() });
    const items = [
      { workflow: { project: 'other', name: 'child' }, window: 'today', onFailure: 'wait' as const },
    ];
    const groups = [{ relation: 'all', items }];
    const waits = task('w', { type: 'dependent', with: { relation: 'all', groups } });
    await allow(['default']);
    await engine.submit({ ...workflow([task('a')], { name: 'child' }), project: 'other' });
    await engine.pass(1_000);
    const state = async () => {
      const run = await engine.submit(workflow([waits], { name: 'top' }));
      await engine.pass(60_000);
      return (await engine.states(run)).run;
    };
    expect(await state()).toBe('success');
    await allow([]);
    expect(await state()).toBe('running');
  });
});
