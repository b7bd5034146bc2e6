import { cronNext, parseCron, zone } from '@orrery/core/time';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import cases from '../../core/fixtures/dolphinscheduler-cases.json' with { type: 'json' };

const [backfill, cron] = cases.suites.find(({ id }) => id === 'engine-schedule')?.cases ?? [];
const instant = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);

describe('the engine-schedule cases of DolphinScheduler', () => {
  it(`${backfill?.id}: a serial backfill runs the business times in order`, async () => {
    const expected = (backfill.expect as { scheduleTimesInOrder: string[] }).scheduleTimesInOrder;
    const engine = await Engine.start();
    await engine.publish(workflow([task('a')], { name: 'daily' }));
    const times = (backfill.input as { backfill: string[] }).backfill.map(instant);
    const spec = { workflow: { name: 'daily' }, params: {}, times, parallelism: 1, onFailure: 'continue' };
    const run = await engine.submit(
      workflow([task('fill', { type: 'backfill', with: spec })], { name: 'backfill' }),
    );
    await engine.pass(60_000);
    expect((await engine.states(run)).run).toBe('success');
    const children = (await engine.store.listRuns({ limit: 100 }))
      .filter(({ name }) => name === 'daily')
      .toReversed();
    expect(children.map(({ businessTime }) => businessTime)).toEqual(expected.map(instant));
    expect(children.every(({ state }) => state === 'success')).toBe(true);
  });

  it(`${cron?.id}: a cron that fires every five seconds makes a run each time`, async () => {
    const { cron: expression } = cron.input as { cron: string };
    const { successfulInstancesAtLeast } = cron.expect as { successfulInstancesAtLeast: number };
    const engine = await Engine.start();
    const schedule = {
      name: 'often',
      cron: expression,
      timezone: 'UTC',
      misfire: { policy: 'fire-once', threshold: 60_000 },
      params: {},
      enabled: true,
    } as const;
    const due = cronNext(parseCron(expression), engine.clock.now(), zone('UTC')) ?? null;
    await engine.publish(workflow([task('a')], { schedules: [schedule] }), { often: due });
    await engine.pass(60_000);
    const runs = await engine.store.listRuns({ state: 'success', limit: 100 });
    expect(runs.length).toBeGreaterThanOrEqual(successfulInstancesAtLeast);
    const times = runs.map(({ businessTime }) => businessTime).toReversed();
    expect(times).toEqual(times.map((_, k) => (due ?? 0) + k * 5_000));
  });
});

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
    expect(engine.said.filter((line) => !line.startsWith('info'))).toEqual([]);
    await engine.pass(3_600_000);
    expect(await fired(engine, 'early')).toBe(2);
  });
});
