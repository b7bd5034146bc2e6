import type { Store } from '@orrery/store';
import { damageableDatabases } from '@orrery/testkit/databases';
import { Engine } from '@orrery/testkit/engine';
import { dynamic, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

describe.each(damageableDatabases())('a run with a bad entry on $name', ({ open, close, damage }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  /** An engine whose attempts end after a minute, but for those of the run that goes well. */
  const start = (after = 60_000) =>
    Engine.start(
      ({ workflow: name }) => ({ after: name === 'good' ? 10 : after, state: 'success' }),
      {},
      { store },
    );
  const flow = (name: string) => workflow([task('a'), task('b', { needs: ['a'] })], { name });
  const shown = async (id: number) => {
    const found = await store.readRunDetails({ id, from: 0, to: 10 });
    return found && { state: found.run.state, reason: found.fields.reason, owner: found.run.owner };
  };
  const history = async (run: number) =>
    (await store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 10 })).map(
      ({ action, actor, body }) => ({ action, actor, ...JSON.parse(body) }),
    );

  it.each([
    [
      'fields',
      `UPDATE run SET fields = '{"state":' WHERE id =`,
      'it cannot be rebuilt: its state cannot be read',
    ],
    ['request', `UPDATE run SET request = 'null' WHERE id =`, 'what it was started with says nothing'],
    ['task', `UPDATE task_run SET body = 'x' WHERE run =`, 'task 1 cannot be read'],
    ['task state', `UPDATE task_run SET state = 'odd' WHERE run =`, 'task "a" is in a state "odd"'],
    [
      'task beyond the plan',
      `UPDATE task_run SET task = 7 WHERE run =`,
      'it has a task 8, and its workflow only 2',
    ],
    [
      'inbox',
      `INSERT INTO inbox (run, body, created_at) SELECT id, '{', 0 FROM run WHERE id =`,
      'something that it was told cannot be read',
    ],
    [
      'plan',
      `UPDATE workflow_version SET body = '{}' WHERE workflow = (SELECT max(workflow) FROM run) AND 0 <`,
      'it has no plan: version 1 of workflow',
    ],
    [
      'gone plan',
      `DELETE FROM workflow_version WHERE workflow = (SELECT max(workflow) FROM run) AND 0 <`,
      'it is gone',
    ],
  ])('is set aside by who takes it over, and the others go on: %s', async (_, statement, reason) => {
    const engine = await start();
    const bad = await engine.submit(flow('bad'));
    await engine.pass(500);
    expect((await shown(bad))?.state).toBe('running');
    await damage(`${statement} ${bad}`);
    const good = await engine.submit(flow('good'));
    engine.crashMaster();
    await engine.pass(8_000);
    const found = await shown(bad);
    expect(found).toMatchObject({ state: 'broken', owner: null });
    expect(found?.reason).toContain(reason);
    expect(await history(bad)).toContainEqual({
      action: 'broken',
      actor: 'm1',
      reason: found?.reason,
      round: 1,
    });
    expect((await engine.states(good)).run).toBe('success');
    // What the worker had of it was told to stop, and nothing is left of it.
    await engine.pass(5_000);
    expect(await store.listAttempts({ run: bad })).toMatchObject([{ state: 'killed' }]);
    expect(await store.countAssignments()).toEqual([]);
  });

  it('is set aside when nobody can decide what its alarm means, and the process goes on', async () => {
    const engine = await start();
    const bad = await engine.submit(workflow([task('a', { delay: 3_000 })], { name: 'bad' }));
    await engine.pass(500);
    await damage(`UPDATE workflow_version SET body = replace(body, '"delay":3000',
      '"delay":3000,"shards":{"count":2,"parameters":null,"plan":"none"}')`);
    engine.crashMaster();
    const good = await engine.submit(flow('good'));
    await engine.pass(1_000);
    expect((await shown(bad))?.state).toBe('running');
    await engine.pass(5_000);
    const found = await shown(bad);
    expect(found?.state).toBe('broken');
    expect(found?.reason).toContain('internal error while handling "due": Cannot read properties of null');
    expect(await engine.states(bad)).toMatchObject({ tasks: { a: 'killed' } });
    expect((await engine.states(good)).run).toBe('success');
  });

  it('is set aside also when its lines cannot be read', async () => {
    const engine = await start();
    const bad = await engine.submit(flow('bad'));
    await engine.pass(500);
    await damage(`UPDATE task_run SET body = '{"shards":[null]}' WHERE run = ${bad}`);
    engine.crashMaster();
    await engine.pass(2_000);
    expect((await shown(bad))?.state).toBe('broken');
    expect(await store.listAttempts({ run: bad })).toMatchObject([{ number: 1, state: 'killed' }]);
    // Its plan is good: it can be taken up again, and attempts go on where they were.
    await engine.control(bad, { type: 'recover' });
    await engine.pass(1_000);
    expect(await engine.states(bad)).toMatchObject({ run: 'running', tasks: { a: 'running' } });
    expect((await store.listAttempts({ run: bad })).length).toBe(1);
    expect(engine.executed.map(({ attempt }) => attempt.number)).toEqual([1, 2]);
  });

  it('says why it cannot be recovered without a plan, and can be put away', async () => {
    const engine = await start();
    const bad = await engine.submit(flow('bad'));
    await engine.pass(500);
    await damage('DELETE FROM workflow_version');
    engine.crashMaster();
    await engine.pass(2_000);
    await engine.control(bad, { type: 'recover' });
    await engine.pass(1_000);
    const { state, reason } = (await shown(bad)) ?? {};
    expect([state, reason]).toEqual(['broken', expect.stringContaining('has no version 1: it is gone')]);
    expect(await history(bad)).toContainEqual({ action: 'recover-refused', actor: 'test', reason, round: 1 });
    await engine.control(bad, { type: 'stop' });
    await engine.pass(1_000);
    expect((await shown(bad))?.state).toBe('stopped');
    expect((await history(bad))[0]).toMatchObject({ action: 'stop-done', actor: 'test' });
  });

  it('is set aside when what changes about it is refused again and again', async () => {
    const engine = await start(2_000);
    const bad = await engine.submit(flow('bad'));
    await engine.pass(500);
    // The attempt that it will queue is there already, and nobody knows of it.
    await damage(`INSERT INTO ready (worker_group, run_priority, run, task_priority, task, shard, number, limited, payload,
      queued_at) VALUES ('nobody', 2, ${bad}, 2, 1, -1, 1, 0, '{}', 0)`);
    await engine.pass(10_000);
    const found = await shown(bad);
    expect(found?.reason).toContain('what changes about it cannot be stored');
    expect(await engine.states(bad)).toMatchObject({ run: 'broken', tasks: { a: 'killed' } });
  });

  it('lets go of its slots, its queue and its children, and its parent hears of it', async () => {
    const engine = await start();
    const runs = (name: string) =>
      task('sub', { type: 'sub-workflow', with: { workflow: { name }, params: {} } });
    const middle = workflow([runs('child'), task('work')], { name: 'middle', mode: 'serial-wait' });
    await engine.publish(workflow([task('a')], { name: 'child' }));
    await engine.publish(middle);
    const top = await engine.submit(workflow([runs('middle')], { name: 'top' }));
    await engine.pass(2_000);
    const [{ id: bad }] = await store.listChildRuns({ run: top, limit: 1 });
    const [{ id: below }] = await store.listChildRuns({ run: bad, limit: 1 });
    const next = await engine.submit(middle);
    await engine.pass(1_000);
    expect((await shown(next))?.state).toBe('waiting');
    await damage(`UPDATE run SET fields = 'x' WHERE id = ${bad}`);
    engine.crashMaster();
    await engine.pass(8_000);
    const states = await Promise.all([top, bad, below, next].map(async (id) => (await shown(id))?.state));
    expect(states).toEqual(['failed', 'broken', 'stopped', 'running']);
  });

  it('recovers the children that were stopped with it', async () => {
    const engine = await start(5_000);
    await engine.publish(workflow([task('a')], { name: 'child' }));
    const over = [{ name: 'n', values: '1,2,3' }];
    const spec = { workflow: { name: 'child' }, over, parallelism: 2 };
    const bad = await engine.submit(workflow([dynamic('many', spec)], { name: 'bad' }));
    await engine.pass(2_000);
    await damage(`INSERT INTO inbox (run, body, created_at) VALUES (${bad}, '{', 0)`);
    engine.crashMaster();
    await engine.pass(8_000);
    const children = () => store.listChildRuns({ run: bad, limit: 10 });
    expect((await shown(bad))?.state).toBe('broken');
    expect((await children()).map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    await engine.control(bad, { type: 'recover' });
    await engine.pass(60_000);
    expect((await shown(bad))?.state).toBe('success');
    expect((await children()).map(({ state }) => state)).toEqual(['success', 'success', 'success']);
  });
});
