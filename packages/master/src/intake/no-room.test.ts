import { testDatabases } from '@orrery/testkit/databases';
import { Engine, type EngineStage } from '@orrery/testkit/engine';
import { subWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { afterAll, describe, expect, it } from 'vitest';

const LONG = 60_000;

describe.each(testDatabases())('a workflow that must not wait for room, on $name', ({ open, close }) => {
  afterAll(close);

  const failing = (more: object = {}) => workflow([task('a')], { name: 'w', onNoRoom: 'fail', ...more });
  const patient = workflow([task('a')], { name: 'patient' });
  const start = async (room = 2_000, stage: EngineStage = {}) =>
    Engine.start({ after: LONG }, { room }, { store: await open(), ...stage });
  const found = async ({ store }: Engine, run: number) => {
    const { run: row, fields } = (await store.readRun({ id: run })) ?? {};
    return row && { state: row.state, ended: row.endedAt !== null, reason: fields?.reason };
  };
  const alerts = async ({ store }: Engine) =>
    (await store.listAlerts({ after: 0, limit: 9 })).map(({ kind, run }) => ({ kind, run }));

  it('fails beyond its limit, and runs again when there is a slot', async () => {
    const engine = await start();
    const one = failing({ limit: 1 });
    const [first, second] = [await engine.submit(one), await engine.submit(one)];
    await engine.pass(1_000);
    expect(await found(engine, first)).toMatchObject({ state: 'running' });
    expect(await found(engine, second)).toEqual({
      state: 'failed',
      ended: true,
      reason: 'no room: workflow default/w is full (1 of 1)',
    });
    const { runs } = await engine.store.pageRuns({
      ...{ filter: { error: 'no room' }, queued: false, claimed: true, limit: 9 },
    });
    expect(runs.map(({ run }) => run.id)).toEqual([second]);
    expect(await alerts(engine)).toEqual([{ kind: 'run-failed', run: second }]);
    await engine.pass(LONG);
    const third = await engine.submit(one);
    await engine.pass(1_000);
    expect(await found(engine, third)).toMatchObject({ state: 'running' });
  });

  it('fails under a full cap, where another waits', async () => {
    const engine = await start();
    await engine.store.setRunCaps({
      caps: { runs: 1, tenants: {} },
      ...{ by: 'lw', now: engine.clock.now() },
    });
    await engine.submit(patient);
    await engine.pass(500);
    const [fails, waits] = [await engine.submit(failing()), await engine.submit(patient)];
    await engine.pass(1_000);
    expect(await found(engine, fails)).toMatchObject({
      state: 'failed',
      reason: 'no room: all runs is full (1 of 1)',
    });
    expect(await found(engine, waits)).toMatchObject({ state: 'waiting' });
    await engine.pass(LONG);
    expect(await found(engine, waits)).toMatchObject({ state: 'running' });
  });

  it('fails when every master is full for 5 s, where another waits for its turn', async () => {
    const engine = await start(1);
    await engine.submit(patient);
    await engine.pass(1_000);
    const [fails, waits] = [await engine.submit(failing()), await engine.submit(patient)];
    await engine.pass(4_000);
    expect(await found(engine, fails)).toBeUndefined();
    await engine.pass(3_000);
    expect(await found(engine, fails)).toMatchObject({
      state: 'failed',
      reason: 'no master had room for it, and its workflow says "onNoRoom: fail"',
    });
    expect(await found(engine, waits)).toBeUndefined();
    await engine.pass(LONG);
    expect(await found(engine, waits)).toMatchObject({ state: 'running' });
  });

  it('fails when every master is overloaded for 5 s, where another waits until it is not', async () => {
    let memory = 0.99;
    const engine = await start(2_000, { measure: () => ({ memory }) });
    await engine.pass(2_000);
    const [fails, waits] = [await engine.submit(failing()), await engine.submit(patient)];
    await engine.pass(4_000);
    expect(await found(engine, fails)).toBeUndefined();
    await engine.pass(3_000);
    expect(await found(engine, fails)).toMatchObject({
      state: 'failed',
      reason: 'no master had room for it, and its workflow says "onNoRoom: fail"',
    });
    expect(await found(engine, waits)).toBeUndefined();
    memory = 0.5;
    await engine.pass(2_000);
    expect(await found(engine, waits)).toMatchObject({ state: 'running' });
  });

  it('waits as a child: its parent holds the room already', async () => {
    const engine = await start();
    const child = failing({ name: 'child', limit: 1 });
    await engine.submit(child);
    await engine.pass(500);
    const parent = await engine.submit(workflow([subWorkflow('call')], { name: 'parent' }));
    await engine.pass(10_000);
    expect(await engine.states(parent)).toMatchObject({ run: 'running' });
    const [{ id }] = await engine.store.listChildRuns({ run: parent, limit: 1 });
    expect(await found(engine, id)).toMatchObject({ state: 'waiting' });
    await engine.pass(3 * LONG);
    expect(await engine.states(parent)).toMatchObject({ run: 'success' });
  });
});
