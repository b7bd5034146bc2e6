import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

describe('a clock that is set', () => {
  const hourly = (name: string) => ({
    name,
    every: 3_600_000,
    timezone: 'UTC',
    misfire: { policy: 'fire-all', threshold: 60_000 } as const,
    params: {},
    enabled: true,
  });
  const fired = async (engine: Engine, name: string) =>
    (await engine.store.listRuns({ limit: 100 })).filter((run) => run.name === name).length;

  it('forward, as after a sleep of the machine, fires what has become due at once', async () => {
    const engine = await Engine.start();
    const due = Math.ceil(engine.clock.now() / 3_600_000) * 3_600_000;
    await engine.publish(workflow([task('a')], { name: 'w', schedules: [hourly('s')] }), { s: due });
    await engine.pass(2_000);
    engine.clock.step(due - engine.clock.now());
    await engine.pass(2_000);
    expect(await fired(engine, 'w')).toBe(1);
  });

  it('back holds up no schedule for the sake of another that has fired already', async () => {
    const engine = await Engine.start();
    const { clock, store } = engine;
    const hour = Math.ceil(clock.now() / 3_600_000) * 3_600_000;
    await engine.publish(workflow([task('a')], { name: 'early', schedules: [hourly('s')] }), { s: hour });
    clock.step(hour - clock.now() + 60_000);
    await engine.pass(2_000);
    expect(await fired(engine, 'early')).toBe(1);
    clock.step(-120_000);
    // Turned off and on by someone whose clock shows a time before the tick that has fired.
    const [{ id }] = await store.listSchedules({});
    await store.setSchedule({ id, enabled: false, nextDue: null, now: clock.now() });
    await store.setSchedule({ id, enabled: true, nextDue: hour, now: clock.now() });
    await engine.publish(workflow([task('a')], { name: 'other', schedules: [hourly('s')] }), { s: hour });
    await engine.pass(90_000);
    expect(await fired(engine, 'early')).toBe(1);
    expect(await fired(engine, 'other')).toBe(1);
    const said = engine.said.filter((line) => !line.startsWith('info'));
    expect(said.every((line) => line.includes('the clock of m1 is not trusted'))).toBe(true);
    await engine.pass(3_600_000);
    expect(await fired(engine, 'early')).toBe(2);
  });
});
