import type { TaskRun } from '@orrery/core/run';
import { attemptText } from '@orrery/wire/frames';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let id: number;
beforeEach(async () => {
  api = await testApi();
  await api.put('/task-groups/default/warehouse', { slots: 9 });
  await api.put('/projects/etl', { params: {}, callableFrom: ['default'] });
  await api.publish(`
name: child
tasks: [{name: x, type: shell}]
---
name: w
tasks:
  - {name: extract, type: shell}
  - {name: clean, type: shell}
  - {name: load, type: shell, needs: [extract, clean], trigger: all-done, group: warehouse}
  - {name: sub, type: sub-workflow, with: {workflow: child}}
  - {name: upstream, type: dependent, with: {all: [{workflow: etl/orders, window: today}, {workflow: stock, window: last1Days}]}}
  - {name: fan, type: dynamic, with: {workflow: child, over: {x: [1, 2, 3]}}}
  - {name: parts, type: shell, shards: 3}
---
name: serial
mode: serial-wait
tasks: [{name: a, type: shell}]
`);
  ({ id } = (await api.post('/runs', { workflow: 'w' })).body);
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const [EXTRACT, CLEAN, LOAD, SUB, UPSTREAM, FAN, PARTS] = [0, 1, 2, 3, 4, 5, 6];
const why = async (name: string | number) => (await api.get(`/why/${name}`)).body;
const started = async () => {
  await api.hand.claim();
  await api.hand.change(id, { state: 'running', startedAt: START });
};
const put = (index: number, state: TaskRun['state'], more: Partial<TaskRun> = {}) =>
  api.hand.change(id, { tasks: [[index, api.hand.task(state, more)]] });
const shard = { attempt: 1, failures: 0, lost: 0 } as const;

describe('why a run waits', () => {
  it('queued: for a master, with its place in line', async () => {
    expect(await why(id)).toEqual({
      id: String(id),
      state: 'queued',
      since: new Date(START).toISOString(),
      why: 'its start command waits to be claimed, 0 before it, and no master is alive',
      frees: 'start a master',
      code: 'start-no-master',
      fields: { ahead: 0 },
      waitsFor: [],
      actions: [],
      command: 'orrery dev',
    });
    await api.hand.join();
    const { id: second } = (await api.post('/runs', { workflow: 'w' })).body;
    expect(await why(second)).toMatchObject({
      why: 'its start command waits to be claimed, 1 before it',
      frees: 'a master with room claims it',
    });
    api.now += 6_000;
    expect(await why(second)).toMatchObject({
      why: 'its start command waits to be claimed, 1 before it; 1 live master without room or overloaded',
      code: 'start-masters-full',
    });
    const reason = 'm1 is overloaded: processor use 95 % is above 90 %';
    await api.store.beat({ self: await api.hand.join(), state: 'acting', reason, now: api.now });
    expect(await why(second)).toMatchObject({
      code: 'start-overloaded',
      fields: { ahead: 1, reasons: [reason] },
    });
  });

  it('queued: an api node is no master that could claim it', async () => {
    const node = { id: 'api-1', roles: ['api'], address: 'api-1:1', info: {} };
    await api.store.joinNode({ ...node, now: api.now });
    expect(await why(id)).toMatchObject({ code: 'start-no-master', frees: 'start a master' });
  });

  it('waiting: for earlier runs of a serial workflow', async () => {
    const { id: first } = (await api.post('/runs', { workflow: 'serial' })).body;
    const { id: second } = (await api.post('/runs', { workflow: 'serial' })).body;
    await api.hand.claim();
    await api.hand.change(first, { state: 'running', startedAt: START });
    expect(await why(second)).toMatchObject({
      state: 'waiting',
      why: `runs of default/serial go one at a time (serial-wait), and run ${first} (running) came first`,
      frees: 'one of them ends',
      waitsFor: [String(first)],
    });
    expect(await why(first)).toMatchObject({ why: 'goes on with its next step', frees: null });
  });

  it('without an owner: for a master to claim it', async () => {
    await started();
    await api.hand.change(id, { release: true });
    await api.post(`/runs/${id}/stop`);
    expect(await why(id)).toMatchObject({
      why: 'has no owner; what it was told waits for a master',
      frees: 'a master claims it',
    });
  });

  it('running: what runs, else what its first open task waits for', async () => {
    await started();
    await put(CLEAN, 'retrying', {
      shards: [{ ...shard, state: 'retrying', due: START + 5_000, error: 'exit 1' }],
    });
    expect(await why(id)).toMatchObject({
      why: 'nothing of it is running: clean failed: exit 1; it is tried again at 2026-03-01T08:00:05.000Z',
      frees: 'that time comes, or start-now',
      waitsFor: [`${id}.clean`],
      actions: [{ name: 'start-now', allowed: true, of: `${id}.clean` }],
    });
    await put(EXTRACT, 'running');
    expect(await why(id)).toMatchObject({ why: '1 task run running, 0 queued', frees: null });
  });

  it.each([
    ['paused', 'is paused', 'resume it'],
    ['pausing', 'is pausing, 1 task run still to end', 'they end or are held'],
    ['stopping', 'is being stopped, 1 task run still to end', 'nothing of them is left'],
    ['failing', 'is ending after a failure, 1 task run still to end', 'they end'],
    ['success', 'succeeded', null],
    ['failed', 'failed (clean: no such file)', 'recover or rerun it'],
    ['stopped', 'was stopped', 'recover or rerun it'],
    ['broken', 'was set aside', 'recover, rerun or stop it'],
  ] as const)('%s: %s', async (state, text, frees) => {
    await started();
    await put(EXTRACT, 'running');
    await put(CLEAN, 'failed', { shards: [{ ...shard, state: 'failed', error: 'no such file' }] });
    await api.hand.change(id, { state });
    expect(await why(id)).toMatchObject({ state, why: text, frees });
  });

  it('paused: with the action that ends it', async () => {
    await started();
    await api.hand.change(id, { state: 'paused' });
    expect((await why(id)).actions).toEqual([{ name: 'resume', allowed: true, of: String(id) }]);
  });
});

describe('why a task run waits', () => {
  beforeEach(started);
  const whyTask = (name: string) => why(`${id}.${name}`);

  it('pending: for the tasks before it, by its rule', async () => {
    await put(EXTRACT, 'running');
    expect(await whyTask('load')).toMatchObject({
      id: `${id}.load`,
      state: 'pending',
      why: 'waits for extract (running) and clean (pending)',
      frees: 'they end, by the rule all-done',
      waitsFor: [`${id}.extract`, `${id}.clean`],
    });
    await put(EXTRACT, 'success');
    await put(CLEAN, 'success');
    expect(await whyTask('load')).toMatchObject({ why: 'is about to start' });
  });

  it('submitted: for a worker of its group', async () => {
    await api.hand.enqueue(id, EXTRACT);
    await api.hand.enqueue(id, CLEAN);
    expect(await whyTask('clean')).toMatchObject({
      why: 'attempt 1 is in the queue of worker group default, 1 before it, and no live worker serves that group',
      frees: 'start a worker for the group default',
      command: 'orrery server --role worker --group default --join m1:1',
      actions: [],
    });
    await api.hand.joinWorker('w1', 1);
    expect(await whyTask('clean')).toMatchObject({
      why: 'attempt 1 is in the queue of worker group default, 1 before it; 1 live worker with 1 of 1 slots free',
      frees: 'a worker takes it next',
    });
    await api.hand.take();
    expect(await whyTask('clean')).toMatchObject({
      why: `attempt 1 is in the queue of worker group default, 0 before it; all 1 slots of 1 live worker are taken by ${id}.extract`,
      frees: 'an attempt before it ends',
    });
    await put(EXTRACT, 'running');
    expect(await whyTask('extract')).toMatchObject({ why: 'attempt 1 runs on w1', frees: null });
    await put(EXTRACT, 'stopping');
    expect(await whyTask('extract')).toMatchObject({ why: 'is being stopped; attempt 1 runs on w1' });
  });

  it('running: for what its last poll found, where its type polls', async () => {
    const types = JSON.stringify([{ name: 'wait', waits: true }]);
    await api.hand.joinWorker('w1', 1, ['default'], types);
    await api.publish('name: gate\ntasks: [{name: file, type: wait, with: {file: /in/a}}]');
    ({ id } = (await api.post('/runs', { workflow: 'gate' })).body);
    await started();
    await api.hand.enqueue(id, 0);
    await api.hand.take();
    await put(0, 'running');
    const log = (text: string) => {
      api.logs.set(attemptText({ run: id, task: 0, shard: -1, number: 1 }), { text, live: true });
      return whyTask('file');
    };
    const frees = 'a later poll finds its condition met, or its time is up';
    const begun = '[orrery] 2026-03-01T08:00:00.000Z run 1, task file (wait), attempt 1, worker w1\n';
    expect(await log(begun)).toMatchObject({ why: 'attempt 1 waits on w1', frees });
    const seen = { attempt: 1, worker: 'w1', seen: '/in/a is not there' };
    expect(await log(`${begun}${'x\n'.repeat(9_000)}/in/a is not there\n`)).toMatchObject({
      why: 'attempt 1 waits on w1: /in/a is not there',
      code: 'attempt-waits',
      fields: seen,
      frees,
    });
    await put(0, 'stopping');
    expect(await whyTask('file')).toMatchObject({ why: 'is being stopped; attempt 1 runs on w1' });
  });

  it('submitted: for a worker that has the cores and the memory it asks for', async () => {
    const queue = 'attempt 1 is in the queue of worker group default';
    await api.hand.joinWorker('w1', 4, ['default'], undefined, { cores: 4, memory: 8 * 2 ** 30 });
    await api.hand.enqueue(id, EXTRACT, { cores: 3 });
    await api.hand.take();
    await api.hand.enqueue(id, CLEAN, { cores: 1.5, memory: 2 ** 30 });
    expect(await whyTask('clean')).toMatchObject({
      why: `${queue}, 0 before it, and asks for 1.5 cores and 1 GB, more than is left on any of 1 live worker`,
      frees: 'attempts that asked for cores or memory end',
    });
    await api.hand.enqueue(id, LOAD, { cores: 64 });
    expect(await whyTask('load')).toMatchObject({
      why: `${queue}, 1 before it, and asks for 64 cores, more than any of 1 live worker has`,
      frees: 'a larger worker joins the group, or the task asks for less',
    });
    expect((await api.get('/nodes')).body.workers).toMatchObject([
      { id: 'w1', resources: { cores: 4, usedCores: 3, memory: 8 * 2 ** 30, usedMemory: 0 } },
    ]);
  });

  it('submitted: for the worker it is meant for', async () => {
    await api.hand.joinWorker();
    await api.hand.enqueue(id, EXTRACT, { target: 'w1' });
    expect(await whyTask('extract')).toMatchObject({
      why: 'attempt 1 is in the queue of worker group default, 0 before it, meant for worker w1',
      frees: 'worker w1 takes it, or is gone',
    });
    await api.hand.enqueue(id, LOAD, { target: 'w1', wished: true });
    expect(await whyTask('load')).toMatchObject({
      why: 'attempt 1 is in the queue of worker group default, 1 before it, chosen for worker w1',
      frees: 'worker w1 takes it, or any other in 2 s',
    });
  });

  it('submitted: for a slot of its task group', async () => {
    await api.hand.joinWorker();
    const needs = [{ name: 'warehouse', slots: 1 }];
    await api.hand.enqueue(id, EXTRACT, { limits: { needs } });
    await api.hand.enqueue(id, LOAD, { limits: { needs } });
    expect(await whyTask('load')).toMatchObject({
      why: `waits for a slot of warehouse: 1 of 1 taken by ${id}.extract, 0 before it`,
      waitsFor: [`${id}.extract`],
      frees: 'one that has such a slot ends',
      actions: [{ name: 'start-now', allowed: true, of: `${id}.load` }],
    });
    expect((await api.get(`/task-runs/${id}.load`)).body.taskGroup).toBe('warehouse');
  });

  it('submitted: until the holder ends whose end is near by what is usual, where that is known', async () => {
    await api.hand.joinWorker('w1', 9);
    const needs = [{ name: 'warehouse', slots: 3 }];
    /** A run of the past in which extract and clean took so long, in the version that is then the newest. */
    const before = async (extract: number, clean: number, state = 'success') => {
      const { id: run } = (await api.post('/runs', { workflow: 'past' })).body;
      await api.hand.claim();
      for (const [task, took] of [extract, clean].entries()) {
        await api.hand.enqueue(run, task);
        await api.hand.take();
        await api.hand.end(run, task, { state, took }, api.hand.task('success'));
      }
    };
    await api.publish('name: past\ntasks: [{name: extract, type: shell}, {name: clean, type: shell}]');
    await before(60_000, 5_000);
    await before(90_000, 7_000);
    await before(600_000, 6_000);
    // What failed tells nothing, and a version may put its tasks in another order.
    await before(1_000, 1_000, 'failed');
    await api.publish(`name: past
tasks:
  - {name: clean, type: shell, group: warehouse}
  - {name: new, type: shell, group: warehouse}
  - {name: extract, type: shell, group: warehouse}
  - {name: load, type: shell, group: warehouse}`);
    const { id: now } = (await api.post('/runs', { workflow: 'past' })).body;
    await api.hand.claim();
    const [clean, unknown, extract, load] = [0, 1, 2, 3];
    for (const task of [unknown, extract]) {
      await api.hand.enqueue(now, task, { limits: { needs } });
      await api.hand.take();
    }
    for (const task of [clean, load]) await api.hand.enqueue(now, task, { limits: { needs } });
    // What no worker has yet is not near its end.
    expect(await why(`${now}.load`)).toMatchObject({
      frees: `${now}.extract ends, which usually takes 1m 30s`,
      fields: { first: { id: `${now}.extract`, usual: 90_000 } },
    });
    api.now += 60_000;
    await api.hand.take();
    expect((await why(`${now}.load`)).frees).toBe(`${now}.clean ends, which usually takes 6s`);
  });

  it('submitted: each for its own thing, told for the whole run at once', async () => {
    const waits = async () => (await api.get(`/runs/${id}/waits`)).body;
    expect(await waits()).toEqual({ waits: [], more: false });
    const needs = [{ name: 'warehouse', slots: 1 }];
    await api.hand.enqueue(id, EXTRACT, { limits: { needs } });
    await api.hand.enqueue(id, LOAD, { limits: { needs } });
    expect((await waits()).waits).toEqual([
      { code: 'no-worker', tasks: [EXTRACT] },
      { code: 'task-group', tasks: [LOAD] },
    ]);
    await api.hand.joinWorker();
    for (const number of [0, 1]) await api.hand.enqueue(id, PARTS, { shard: number });
    expect((await waits()).waits).toEqual([
      { code: 'task-group', tasks: [LOAD] },
      { code: 'slots', tasks: [EXTRACT, PARTS] },
    ]);
    const { id: urgent } = (await api.post('/runs', { workflow: 'w', priority: 'highest' })).body;
    await api.hand.claim();
    await api.hand.enqueue(urgent, EXTRACT, { runPriority: 0 });
    expect((await waits()).waits[1]).toEqual({ code: 'priority', tasks: [EXTRACT, PARTS] });
    expect((await api.get('/runs/4711/waits')).status).toBe(404);
  });

  it('submitted: for nothing but the next moment', async () => {
    await put(LOAD, 'submitted');
    expect(await whyTask('load')).toMatchObject({ why: 'is on its way into the queue', frees: null });
  });

  it('running in shards: where', async () => {
    await api.hand.joinWorker();
    for (const number of [0, 1]) await api.hand.enqueue(id, PARTS, { shard: number });
    await api.hand.take(2);
    await put(PARTS, 'running');
    expect(await whyTask('parts')).toMatchObject({ why: '2 of 3 shards run on w1' });
  });

  it('waiting: for its child run', async () => {
    await put(SUB, 'waiting', { child: { round: 1, state: 'open' } });
    expect(await whyTask('sub')).toMatchObject({ why: 'waits for its child run, which is queued' });
    await api.post('/runs', { workflow: 'child' });
    const [{ command, run }] = await api.store.listCommands({ limit: 1 });
    const stop = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
    await api.store.sendControl({ run, message: stop, now: START });
    const child = {
      ...command,
      trigger: 'child',
      parent: { run: id, task: SUB, round: 1, element: 0 },
    } as const;
    await api.store.submitCommand({ command: child, now: START });
    const [claimed] = await api.hand.claim();
    expect(await whyTask('sub')).toMatchObject({
      why: `waits for its child run ${claimed} (running)`,
      frees: 'the child run ends',
      waitsFor: [String(claimed)],
    });
  });

  it('waiting: for the runs it depends on', async () => {
    await put(UPSTREAM, 'waiting');
    expect(await whyTask('upstream')).toMatchObject({
      why: expect.stringMatching(
        /^waits for etl\/orders of .*: no run yet and waits for default\/stock of .*: no run yet$/,
      ),
      frees: 'those runs succeed',
    });
    await api.publish('name: stock\ntasks: [{name: a, type: shell}]');
    const yesterday = START - 86_400_000;
    const body = { workflow: 'stock', businessTime: new Date(yesterday).toISOString() };
    const stock = (await api.post('/runs', body)).body.id;
    await api.hand.claim();
    expect((await whyTask('upstream')).why).toMatch(
      new RegExp(`and waits for default/stock of .*: run ${stock} is running$`),
    );
    const { workflow = 0 } = (await api.store.readRunDetails({ id: stock, from: 0, to: 0 })) ?? {};
    const fact = { workflow, businessTime: yesterday, round: 1, state: 'success', tasks: '{}' };
    await api.hand.change(stock, { state: 'success', endedAt: START, fact });
    expect((await whyTask('upstream')).why).toMatch(
      /^waits for etl\/orders of .*: no run yet; 1 of 2 are met$/,
    );
  });

  it('waiting: for a series of child runs', async () => {
    const series = {
      total: 3,
      next: 2,
      open: [1],
      paused: [],
      failed: [],
      again: [],
      succeeded: 1,
      results: {},
      round: 1,
    };
    await put(FAN, 'waiting', { series });
    expect(await whyTask('fan')).toMatchObject({ why: '1 of 3 child runs have ended, 1 are open' });
  });

  it.each([
    ['delayed', { due: START + 60_000 }, 'waits until 2026-03-01T08:01:00.000Z because of its delay'],
    ['paused', {}, 'is held because the run is paused'],
    ['success', {}, 'succeeded'],
    ['success', { forced: true, reason: 'forced by hand' }, 'counts as success: forced by hand'],
    ['failed', { reason: 'no such file' }, 'failed: no such file'],
    ['killed', { reason: 'the run was stopped' }, 'was stopped: the run was stopped'],
    ['skipped', { reason: 'extract failed' }, 'was skipped: extract failed'],
    ['passed', {}, 'is disabled and was passed over'],
    ['excluded', {}, 'is not part of this round of the run'],
  ] as const)('%s with %j: %s', async (state, more, text) => {
    await put(EXTRACT, state, more as Partial<TaskRun>);
    expect(await whyTask('extract')).toMatchObject({ state, why: text });
  });

  it('pending in a run that has ended', async () => {
    await api.hand.change(id, { state: 'broken' });
    expect(await whyTask('load')).toMatchObject({ why: 'never had its turn: the run is broken' });
  });

  it.each([
    ['4711', 404],
    ['4711.a', 404],
    ['x', 400],
    ['-1', 400],
  ])('is refused for %s with %i', async (name, status) => {
    expect((await api.get(`/why/${name}`)).status).toBe(status);
  });
});
