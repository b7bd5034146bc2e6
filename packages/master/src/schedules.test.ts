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
