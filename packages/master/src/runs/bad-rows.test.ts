import type { Workflow } from '@orrery/core/model';
import type { Store } from '@orrery/store';
import { damageableDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { task, workflow } from '@orrery/testkit/workflows';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const MINUTE = 60_000;

describe.each(damageableDatabases())('one bad row on $name', ({ open, close, damage }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const flow = (name: string, more: Partial<Workflow> = {}) => workflow([task('a')], { name, ...more });
  const named = async (name: string) =>
    (await store.listRuns({ limit: 100 })).filter((run) => run.name === name).map(({ state }) => state);

  it('of the commands is a run that is set aside, and those behind it start', async () => {
    const engine = await Engine.start({}, {}, { store });
    engine.away = true;
    const bad = await engine.submit(flow('bad'));
    const good = await engine.submit(flow('good'));
    await damage(`UPDATE command SET body = '{' WHERE seq = ${bad}`);
    engine.away = false;
    await engine.pass(3_000);
    expect((await engine.states(good)).run).toBe('success');
    expect(await store.readRunDetails({ id: bad, from: 0, to: 1 })).toMatchObject({
      run: { state: 'broken', name: 'bad', project: 'default' },
      fields: { reason: expect.stringContaining('what it is to be started with cannot be read') },
    });
  });

  it.each(['{', '{}'])('of the wait list of a limit is a run that is set aside: %s', async (body) => {
    const engine = await Engine.start({ after: 2_000 }, {}, { store });
    const limited = flow('limited', { limit: 1 });
    const runs: number[] = [];
    for (let k = 0; k < 4; k++) runs.push(await engine.submit(limited));
    await engine.pass(500);
    await damage(`UPDATE limit_wait SET body = '${body}' WHERE run = ${runs[1]}`);
    await engine.pass(20_000);
    const states = [];
    for (const run of runs) states.push((await engine.states(run)).run);
    expect(states).toEqual(['success', 'broken', 'success', 'success']);
    expect(await store.listLimits({ limit: 9 })).toMatchObject([{ held: 0, waiting: 0 }]);
  });

  it('of the wait list of a task group does not block the group', async () => {
    const engine = await Engine.start({ after: 2_000 }, {}, { store });
    const group = { project: 'default', name: 'db', slots: 1, by: 'lw', now: engine.clock.now() };
    await store.setTaskGroup(group);
    const grouped = (name: string) => workflow([task('a', { group: { name: 'db', priority: 0 } })], { name });
    const runs: number[] = [];
    for (const name of ['one', 'bad', 'two']) runs.push(await engine.submit(grouped(name)));
    await engine.pass(500);
    await damage(`UPDATE limit_wait SET body = '{' WHERE run = ${runs[1]}`);
    await engine.pass(20_000);
    const states = [];
    for (const run of runs) states.push((await engine.states(run)).run);
    expect(states).toEqual(['success', 'broken', 'success']);
  });

  it('of the reports sets its run aside, and the others of its batch are recorded', async () => {
    // The store refuses the second of two such reports.
    await damage(`CREATE UNIQUE INDEX refused_report ON attempt (error) WHERE error = 'bad'`);
    const engine = await Engine.start(
      ({ workflow }) => ({
        after: 3_000,
        state: 'failed',
        error: workflow.startsWith('bad') ? 'bad' : 'plain',
      }),
      {},
      { store },
    );
    const runs: number[] = [];
    for (const name of ['one', 'bad-1', 'bad-2', 'two']) runs.push(await engine.submit(flow(name)));
    await engine.pass(1_000);
    // Nobody owns them any more: what is reported goes to their inboxes.
    await damage('UPDATE run SET owner = NULL, owner_epoch = NULL');
    await engine.pass(60_000);
    const states = [];
    for (const run of runs) states.push((await engine.states(run)).run);
    await damage('DROP INDEX refused_report');
    expect([states[0], states[3]]).toEqual(['failed', 'failed']);
    expect(states.slice(1, 3).toSorted()).toEqual(['broken', 'failed']);
  });

  it('of the bulks is aborted, and those after it go on', async () => {
    const engine = await Engine.start({ after: 60_000 }, {}, { store });
    const run = await engine.submit(flow('long'));
    await engine.pass(500);
    const start = (action: 'stop' | 'pause') =>
      store.createBulk({
        action,
        choice: { ids: [run] },
        project: null,
        by: 'lw',
        now: engine.clock.now(),
      });
    engine.away = true;
    const { id } = await start('pause');
    await start('stop');
    await damage(`UPDATE bulk SET refusals = '{' WHERE id = ${id}`);
    engine.away = false;
    await engine.pass(10_000);
    expect((await engine.states(run)).run).toBe('stopped');
  });

  it.each(['{', '{}'])('of the queue fails its attempt alone: %s', async (payload) => {
    const engine = await Engine.start({}, {}, { store, workers: {} });
    const bad = await engine.submit(flow('bad'));
    const good = await engine.submit(flow('good'));
    await engine.pass(1_000);
    await damage(`UPDATE ready SET payload = '${payload}' WHERE run = ${bad}`);
    engine.startWorker('w1');
    await engine.pass(3_000);
    expect((await engine.states(good)).run).toBe('success');
    expect(await engine.states(bad)).toEqual({ run: 'failed', tasks: { a: 'failed' } });
    const [{ error }] = await store.listAttempts({ run: bad });
    expect(error).toContain('what was kept for it cannot be read');
  });

  it.each([
    ['schedule', `UPDATE schedule SET body = '{' WHERE workflow =`],
    ['live version', `UPDATE workflow_version SET body = '{' WHERE workflow =`],
  ])('of schedules does not hold up the others: its %s', async (_, statement) => {
    const engine = await Engine.start({}, {}, { store });
    const often = {
      name: 'often',
      every: 5_000,
      timezone: 'UTC',
      misfire: { policy: 'fire-once', threshold: MINUTE },
      params: {},
      enabled: true,
    } as const;
    const due = { often: engine.clock.now() + 2_000 };
    const { id } = await engine.publish(flow('bad', { schedules: [often] }), due);
    await engine.publish(flow('good', { schedules: [often] }), due);
    await damage(`${statement} ${id}`);
    await engine.pass(20_000);
    expect((await named('good')).length).toBeGreaterThan(2);
    expect(await named('bad')).toEqual([]);
  });

  it('of workflows that start after others does not hold up the others', async () => {
    const engine = await Engine.start({}, {}, { store });
    const after = { workflows: [{ name: 'first' }], states: ['success'], when: 'any' } as const;
    const triggers = [{ name: 'next', after, params: {}, enabled: true }];
    const { id } = await engine.publish(flow('bad', { triggers }));
    await engine.publish(flow('good', { triggers }));
    await damage(`UPDATE workflow_version SET body = '{' WHERE workflow = ${id}`);
    const first = await engine.submit(flow('first'));
    await engine.pass(5_000);
    expect([await named('good'), await named('bad')]).toEqual([['success'], []]);
    const history = await store.listHistory({ of: { kind: 'run', subject: String(first) }, limit: 9 });
    expect(history.map(({ action }) => action).toSorted()).toEqual(['trigger-refused', 'triggered']);
  });

  it('of deadlines does not hold up the others', async () => {
    const engine = await Engine.start({}, {}, { store });
    const at = new Date(engine.clock.now() + 2 * MINUTE).toISOString().slice(11, 16);
    const deadline = { at, timezone: 'UTC' };
    const { id } = await engine.publish(flow('bad', { deadline }));
    await engine.publish(flow('good', { deadline }));
    await damage(`UPDATE deadline SET body = '{' WHERE workflow = ${id}`);
    await engine.pass(3 * MINUTE);
    expect((await store.listAlerts({ after: 0, limit: 9 })).map(({ name }) => name)).toEqual(['good']);
    expect(engine.said.join()).toContain(`deadline of workflow ${id}`);
  });
});
