import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('a workflow that is offline, on $name', ({ open, close }) => {
  afterAll(close);

  const start = async () => {
    const engine = await Engine.start({ after: 10, state: 'success' }, {}, { store: await open() });
    const set = (name: string, online: boolean) =>
      engine.store.setWorkflowOnline({
        project: 'default',
        name,
        online,
        by: 'me',
        now: engine.clock.now(),
      });
    return { engine, set };
  };

  it('skips the ticks that come and says why, fires none of them later, and goes on when it is online', async () => {
    const { engine, set } = await start();
    const { store, clock } = engine;
    const minutes = {
      name: 's',
      every: 60_000,
      timezone: 'UTC',
      misfire: { policy: 'fire-all', threshold: 60_000 } as const,
      params: {},
      enabled: true,
    };
    const due = Math.ceil(clock.now() / 60_000) * 60_000;
    await engine.publish(workflow([task('a')], { name: 'w', schedules: [minutes] }), { s: due });
    const fired = async () => (await store.listRuns({ limit: 100 })).length;
    await engine.pass(due - clock.now() + 2_000);
    expect(await fired()).toBe(1);
    // The next tick is prepared already.
    expect(await set('w', false)).toMatchObject({ offlineSince: clock.now() });
    await engine.pass(180_000);
    expect(await fired()).toBe(1);
    const [{ id }] = await store.listSchedules({});
    const ticks = await store.listTicks({ schedule: id, limit: 10 });
    const skips = ticks.filter(({ run }) => run === null);
    expect(skips.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect(new Set(skips.map(({ reason }) => reason))).toEqual(new Set(['its workflow was offline']));
    expect(await set('w', true)).toMatchObject({ offlineSince: null });
    await engine.pass(60_000);
    expect(await fired()).toBe(2);
    expect(engine.said.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('is no child of another; runs that are open go on', async () => {
    const { engine, set } = await start();
    const sub = (name: string) =>
      task(name, { type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } });
    await engine.publish(workflow([task('a')], { name: 'child' }));
    const top = workflow([task('first'), { ...sub('second'), needs: ['first'] }], { name: 'top' });
    const run = await engine.submit(top);
    await set('top', false);
    await set('child', false);
    await engine.pass(2_000);
    expect(await engine.states(run)).toMatchObject({ run: 'failed' });
    expect(await engine.store.listChildRuns({ run, limit: 1 })).toEqual([]);
    const found = await engine.store.readRunDetails({ id: run, from: 0, to: 10 });
    expect(JSON.stringify(found)).toContain('default/child is offline; put it online first');
  });
});
