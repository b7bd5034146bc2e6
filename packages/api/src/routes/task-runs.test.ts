import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let id: number;
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
name: w
tasks:
  - {name: a.1, type: shell}
  - {name: lädt, type: shell, needs: a.1, shards: 3}
`);
  ({ id } = (await api.post('/runs', { workflow: 'w' })).body);
  await api.hand.claim();
  await api.hand.joinWorker();
  await api.hand.change(id, { state: 'running', startedAt: START });
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const out = { state: 'out', attempt: 1, failures: 0, lost: 0 } as const;

describe('a task run', () => {
  it('is shown by run and name, also before anything happened to it', async () => {
    const { status, body } = await api.get(`/task-runs/${id}.a.1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: `${id}.a.1`,
      run: id,
      state: 'pending',
      needs: [],
      workerGroup: 'default',
      taskGroup: null,
    });
  });

  it('shows its shards', async () => {
    await api.hand.change(id, {
      tasks: [
        [
          1,
          api.hand.task('running', {
            shards: [
              { ...out, worker: 'w1' },
              { ...out, state: 'success' },
              { ...out, state: 'failed', error: 'boom' },
            ],
          }),
        ],
      ],
    });
    const { body } = await api.get(`/task-runs/${id}.${encodeURIComponent('lädt')}`);
    expect(body).toMatchObject({
      state: 'running',
      reason: 'boom',
      shards: { out: 1, success: 1, failed: 1 },
      shardRuns: [
        { shard: 0, worker: 'w1' },
        { shard: 1, state: 'success' },
        { shard: 2, error: 'boom' },
      ],
    });
  });

  it('shows what it was given, when it waited and ran, and what it put out', async () => {
    await api.publish(`
name: given
params: {day: {default: '2026-01-01'}}
tasks:
  - {name: first, type: shell}
  - {name: say, type: shell, needs: first, params: {who: you}, with: {script: "echo \${day} \${who} \${row}"}}
  - {name: lost, type: shell, needs: first, with: {script: "echo \${nothing}"}}
`);
    const { id: run } = (await api.post('/runs', { workflow: 'given', params: { day: '2026-02-02' } })).body;
    await api.hand.claim();
    const done = { ...out, state: 'success', worker: 'w1', outputs: { row: '7' } } as const;
    const first = api.hand.task('success', { started: START, shards: [done], outputs: { row: '7' } });
    await api.hand.change(run, { state: 'running', startedAt: START, tasks: [[0, first]] });
    await api.hand.enqueue(run, 1);
    await api.hand.take();
    api.now += 5_000;
    const after = api.hand.task('success', { started: START, shards: [done] });
    await api.hand.end(run, 1, { state: 'success' }, after);
    expect((await api.get(`/task-runs/${run}.say`)).body).toMatchObject({
      index: 1,
      queuedAt: new Date(START).toISOString(),
      startedAt: new Date(START + 4_000).toISOString(),
      endedAt: new Date(START + 5_000).toISOString(),
      params: { day: '2026-02-02', who: 'you', row: '7' },
      settings: { script: 'echo ${ORRERY_VALUE_day} you ${ORRERY_VALUE_row}' },
      why: { why: 'succeeded', code: 'success' },
    });
    expect((await api.get(`/task-runs/${run}.first`)).body.outputs).toEqual({ row: '7' });
    expect((await api.get(`/task-runs/${run}.lost`)).body).toMatchObject({
      params: { day: '2026-02-02' },
      settings: { script: 'echo ${nothing}' },
    });
  });

  it('names the variables that its processes get, and tells no value of them', async () => {
    await api.put('/environments/prod', { variables: { HOST: 'db-7', TOKEN: '${secret.token}' } });
    await api.publish(`
name: env
environment: prod
params: {table_name: orders}
tasks: [{name: a, type: shell}, {name: b, type: shell, shards: 2}]
`);
    const { id: run } = (await api.post('/runs', { workflow: 'env' })).body;
    await api.hand.claim();
    await api.hand.change(run, { state: 'running', startedAt: START });
    const { body } = await api.get(`/task-runs/${run}.a`);
    expect(body.environment.name).toBe('prod');
    expect(body.environment.variables).toEqual(
      expect.arrayContaining(['HOST', 'TOKEN', 'ORRERY_PARAM_TABLE_NAME', 'ORRERY_RUN']),
    );
    expect(body.environment.variables).not.toContain('ORRERY_SHARD');
    expect(JSON.stringify(body)).not.toContain('db-7');
    expect((await api.get(`/task-runs/${run}.b`)).body.environment.variables).toContain('ORRERY_SHARD');
    expect((await api.get(`/task-runs/${id}.a.1`)).body.environment.name).toBeNull();
  });

  it('that is not there is told with the name that is nearest', async () => {
    const { status, body } = await api.get(`/task-runs/${id}.a1`);
    expect([status, body.detail]).toEqual([404, `run ${id} has no task "a1"; did you mean "a.1"?`]);
  });

  it('says which of its controls are allowed', async () => {
    await api.hand.enqueue(id, 0);
    const { actions } = (await api.get(`/task-runs/${id}.a.1`)).body;
    expect(actions).toEqual([
      { name: 'force', allowed: true },
      { name: 'kill', allowed: true },
      {
        name: 'start-now',
        allowed: false,
        reason: 'the task is not delayed and not waiting to retry or for a slot of its task group',
        code: 'control.taskNotWaiting',
      },
      {
        name: 'run-from-here',
        allowed: false,
        reason: 'the run is still running; stop it first',
        code: 'control.runningStop',
      },
      {
        name: 'recover',
        allowed: false,
        reason: 'the run is still running; stop it first',
        code: 'control.runningStop',
      },
    ]);
  });

  it.each([
    ['nosuch', 400],
    ['1', 400],
    ['4711.a', 404],
    ['1.', 400],
    ['x.y', 400],
    ['1.a:0', 400],
  ])('is refused as %s with %i', async (name, status) => {
    expect((await api.get(`/task-runs/${name}`)).status).toBe(status);
  });

  it('is not found under a name the workflow does not have', async () => {
    const { status, body } = await api.get(`/task-runs/${id}.b`);
    expect([status, body.detail]).toEqual([404, `run ${id} has no task "b"`]);
  });

  it('is not found while its run is queued', async () => {
    const { id: queued } = (await api.post('/runs', { workflow: 'w' })).body;
    const { status, body } = await api.get(`/task-runs/${queued}.a.1`);
    expect([status, body.detail]).toEqual([404, `run ${queued} has not started; it has no task runs yet`]);
  });
});

describe('attempts', () => {
  it('are shown wherever they are', async () => {
    for (const shard of [0, 1, 2]) await api.hand.enqueue(id, 1, { shard });
    await api.hand.take(2);
    api.now += 5_000;
    await api.hand.end(id, 1, { state: 'failed', error: 'exit 1', shard: 0 }, api.hand.task('running'));
    const { body } = await api.get(`/task-runs/${id}.${encodeURIComponent('lädt')}/attempts`);
    expect(body.attempts).toMatchObject([
      {
        id: `${id}.lädt:0.1`,
        shard: 0,
        state: 'failed',
        exitCode: 1,
        error: 'exit 1',
        worker: 'w1',
        late: false,
      },
      {
        id: `${id}.lädt:1.1`,
        shard: 1,
        state: 'assigned',
        worker: 'w1',
        assignedAt: new Date(START).toISOString(),
      },
      {
        id: `${id}.lädt:2.1`,
        shard: 2,
        state: 'queued',
        worker: null,
        queuedAt: new Date(START).toISOString(),
      },
    ]);
    expect(body.next).toBeNull();
  });

  it('are paged', async () => {
    for (const shard of [0, 1, 2]) await api.hand.enqueue(id, 1, { shard });
    const path = `/task-runs/${id}.${encodeURIComponent('lädt')}/attempts`;
    const first = await api.get(`${path}?limit=2`);
    expect(first.body.attempts).toMatchObject([{ shard: 0 }, { shard: 1 }]);
    expect(first.body.next).toBe(`/api/v1${path}?limit=2&after=1.1`);
    const second = await api.get(`${path}?limit=2&after=1.1`);
    expect(second.body).toMatchObject({ attempts: [{ shard: 2 }], next: null });
  });

  it('begin with the one of a task without shards', async () => {
    await api.hand.enqueue(id, 0);
    const { body } = await api.get(`/task-runs/${id}.a.1/attempts`);
    expect(body.attempts).toMatchObject([{ id: `${id}.a.1.1`, shard: null, number: 1 }]);
  });
});
