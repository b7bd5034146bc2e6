import type { ScheduleSpec } from '@orrery/core/model';
import { testDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

describe.each(testDatabases())('a dependency on $name', ({ open, close }) => {
  afterAll(close);
  const on = (name: string, window: string) =>
    task('wait', {
      type: 'dependent',
      with: {
        relation: 'all',
        groups: [{ relation: 'all', items: [{ workflow: { name }, window, onFailure: 'fail' }] }],
      },
    });
  const nightly: ScheduleSpec = {
    name: 'nightly',
    cron: '0 30 2 * * ?',
    timezone: 'Europe/Berlin',
    enabled: false,
    misfire: { policy: 'skip', threshold: 0 },
    params: {},
  };
  const at = (text: string) => Date.parse(text);

  it('on itself goes on after the night in which its clock time did not exist', async () => {
    const engine = await Engine.start({}, {}, { store: await open() });
    const self = workflow([on('self', 'last1Days')], {
      name: 'self',
      timezone: 'Europe/Berlin',
      schedules: [nightly],
    });
    const due = { nightly: null };
    await engine.publish(self, due);
    // 28 March, 29 March without 02:30, and 30 March.
    const before = await engine.submit(self, {}, at('2026-03-28T01:30:00Z'));
    await engine.pass(1_000);
    expect((await engine.states(before)).run).toBe('success');
    const after = await engine.submit(self, {}, at('2026-03-30T00:30:00Z'));
    await engine.pass(1_000);
    expect((await engine.states(after)).run).toBe('success');
    const found = await engine.store.readRun({ id: after });
    expect(found?.tasks[0].body).toContain(
      'default/self has no due time from 2026-03-29 00:00 to 2026-03-30 00:00: nothing to wait for',
    );
    const waits = await engine.submit(self, {}, at('2026-04-02T00:30:00Z'));
    await engine.pass(1_000);
    expect((await engine.states(waits)).run).toBe('running');
  });

  it('waits for a rerun that is under way, whatever the round before it was', async () => {
    const mood = { fails: true };
    const engine = await Engine.start(
      () => ({ after: 5_000, state: mood.fails ? 'failed' : 'success' }),
      {},
      { store: await open() },
    );
    const upstream = await engine.submit(workflow([task('a')], { name: 'upstream' }));
    await engine.pass(6_000);
    expect((await engine.states(upstream)).run).toBe('failed');
    mood.fails = false;
    await engine.control(upstream, { type: 'recover' });
    await engine.pass(1_000);
    const run = await engine.submit(workflow([on('upstream', 'today')], { name: 'downstream' }));
    await engine.pass(1_000);
    expect((await engine.states(run)).tasks.wait).toBe('waiting');
    await engine.pass(10_000);
    expect((await engine.states(run)).run).toBe('success');
  });
});
