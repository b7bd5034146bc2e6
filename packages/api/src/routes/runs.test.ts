import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
project: etl
name: daily
timezone: Asia/Shanghai
priority: high
params:
  day: {type: date, required: true}
  region: {default: eu, options: [eu, us]}
  size: {type: integer, default: 3}
  tables: {type: list, default: [a, b]}
tasks:
  - {name: extract, type: shell, with: {script: "echo \${day}"}}
  - {name: load, type: shell, needs: extract}
`);
  await api.publish('name: plain\ntasks: [{name: only, type: shell}]');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const start = (body: object, headers?: Record<string, string>) => api.post('/runs', body, headers);
const daily = (params: object = {}) =>
  start({ workflow: 'etl/daily', params: { day: '2026-02-28', ...params } });

describe('starting a run', () => {
  it('queues it, reserves its id and tells a master', async () => {
    const { status, body, headers } = await start({ workflow: 'plain' });
    expect([status, body]).toEqual([202, { id: expect.any(Number), state: 'queued', repeated: false }]);
    expect(headers.location).toBe(`/api/v1/runs/${body.id}`);
    expect(api.hinted).toEqual(['commands']);
  });

  it('hands on what it was asked for', async () => {
    const { body } = await start({
      workflow: 'etl/daily',
      params: { day: '2026-02-28', size: 7, tables: ['x', 'y'] },
      businessTime: '2026-02-28 06:00:00',
      scope: { kind: 'from', tasks: ['load'] },
      dryRun: true,
      priority: 'lowest',
      trigger: 'manual',
    });
    await api.hand.claim();
    expect((await api.get(`/runs/${body.id}`)).body).toMatchObject({
      project: 'etl',
      name: 'daily',
      version: 1,
      trigger: 'manual',
      priority: 'lowest',
      businessTime: '2026-02-27T22:00:00.000Z',
      params: { day: '2026-02-28', size: '7', tables: '["x","y"]' },
      scope: { kind: 'from', tasks: ['load'] },
      dryRun: true,
    });
  });

  it('takes priority and business time from the workflow and the clock unless they are given', async () => {
    const { body } = await daily();
    expect((await api.get(`/runs/${body.id}`)).body).toMatchObject({
      priority: 'high',
      businessTime: new Date(START).toISOString(),
      trigger: 'api',
    });
  });

  it.each([
    [{ workflow: 'nosuch' }, 'there is no workflow default/nosuch'],
    [{ workflow: 'daily' }, 'there is no workflow default/daily; did you mean "etl/daily"?'],
    [{ workflow: 'etl/daily', version: 7 }, 'workflow etl/daily has no version 7'],
    [{ workflow: 'etl/daily' }, 'parameter "day": is required: give a value of type date'],
    [
      { workflow: 'etl/daily', params: { day: '2026-02-30' } },
      'parameter "day": "2026-02-30" is not of type date: use a calendar date yyyy-MM-dd',
    ],
    [
      { workflow: 'etl/daily', params: { day: '2026-02-28', region: 'cn' } },
      'parameter "region": "cn" is not one of eu, us',
    ],
    [
      { workflow: 'etl/daily', params: { day: '2026-02-28', regio: 'eu' } },
      'parameter "regio": unknown; did you mean "region"?; declared are day, region, size, tables',
    ],
    [{ workflow: 'plain', params: { a: 1 } }, 'parameter "a": unknown; the workflow declares none'],
    [
      { workflow: 'plain', scope: { kind: 'only', tasks: ['onyl'] } },
      'there is no task "onyl"; did you mean "only"?',
    ],
    [
      { workflow: 'plain', scope: { kind: 'from' } },
      'scope: name tasks for from, to and only, and none for all',
    ],
    [
      { workflow: 'plain', businessTime: 'yesterday' },
      expect.stringContaining('time "yesterday" cannot be read'),
    ],
    [{ workflow: 'plain', priority: 'urgent' }, expect.stringContaining('priority: ')],
    [{ workflow: 'plain', params: [1] }, expect.stringContaining('params: ')],
    [{ workflow: 'plain', dryrun: true }, expect.stringContaining('dryrun: unknown; did you mean "dryRun"?')],
    [{}, expect.stringContaining('workflow: ')],
    [{ workflow: 'plain', params: { n: 1e300 } }, expect.stringContaining('give it as text')],
  ])('refuses %j', async (body, detail) => {
    const answer = await start(body);
    expect([answer.status, answer.body.detail]).toEqual([422, detail]);
    expect(api.hinted).toEqual([]);
  });

  it('leaves placeholders to be checked when a task runs', async () => {
    expect((await daily({ day: '$[yyyy-MM-dd-1]' })).status).toBe(202);
  });

  it('answers the same key with the same run', async () => {
    const first = await start({ workflow: 'plain' }, { 'idempotency-key': 'k-1' });
    const again = await start({ workflow: 'plain' }, { 'idempotency-key': 'k-1' });
    expect(again.body).toEqual({ id: first.body.id, state: 'queued', repeated: true });
    expect((await start({ workflow: 'plain' }, { 'idempotency-key': 'k-2' })).body.id).not.toBe(
      first.body.id,
    );
  });

  it('refuses a key that another request was made with', async () => {
    await start({ workflow: 'plain' }, { 'idempotency-key': 'k-1' });
    const other = await start(
      { workflow: 'etl/daily', params: { day: '2026-02-28' } },
      { 'idempotency-key': 'k-1' },
    );
    expect([other.status, other.body.detail]).toEqual([
      409,
      'this Idempotency-Key was used to start another workflow or with other parameters',
    ]);
  });

  it.each(['', 'ü', 'x'.repeat(201)])('refuses the key %j', async (key) => {
    const { status } = await start({ workflow: 'plain' }, { 'idempotency-key': key });
    expect(status).toBe(400);
  });
});

describe('a run that nobody has claimed', () => {
  it('is shown as queued with its place in line', async () => {
    await start({ workflow: 'plain', priority: 'highest' });
    const { body } = await start({ workflow: 'plain' });
    expect((await api.get(`/runs/${body.id}`)).body).toMatchObject({
      id: body.id,
      name: 'plain',
      state: 'queued',
      ahead: 1,
      startedAt: null,
      tasks: [],
    });
  });

  it('can only be stopped', async () => {
    const { id } = (await start({ workflow: 'plain' })).body;
    const { actions } = (await api.get(`/runs/${id}`)).body;
    expect(actions.filter(({ allowed }: { allowed: boolean }) => allowed)).toEqual([
      { name: 'stop', allowed: true },
    ]);
    const refused = await api.post(`/runs/${id}/pause`);
    expect([refused.status, refused.body.detail]).toEqual([409, 'the run is queued; it has not started']);
  });

  it('ends as stopped when it is stopped, and is never claimed', async () => {
    const { id } = (await start({ workflow: 'plain' })).body;
    expect((await api.post(`/runs/${id}/stop`)).status).toBe(202);
    expect(await api.hand.claim()).toEqual([]);
    expect((await api.get(`/runs/${id}`)).body).toMatchObject({
      state: 'stopped',
      endedAt: new Date(START).toISOString(),
    });
  });
});

describe('one run', () => {
  it('is shown with its tasks, counts and actions', async () => {
    const { id } = (await daily()).body;
    await api.hand.claim();
    await api.hand.joinWorker();
    await api.hand.change(id, { state: 'running', startedAt: START });
    await api.hand.enqueue(id, 0);
    const { body } = await api.get(`/runs/${id}`);
    expect(body).toMatchObject({
      state: 'running',
      owner: 'm1',
      round: 1,
      counts: { submitted: 1, pending: 1 },
    });
    expect(body.tasks).toEqual([
      expect.objectContaining({
        id: `${id}.extract`,
        name: 'extract',
        type: 'shell',
        state: 'submitted',
        attempt: 1,
        since: new Date(START).toISOString(),
      }),
      expect.objectContaining({ id: `${id}.load`, state: 'pending', attempt: 0, since: null, reason: null }),
    ]);
    expect(body.actions).toContainEqual({ name: 'pause', allowed: true });
    expect(body.actions).toContainEqual({ name: 'resume', allowed: false, reason: 'the run is not paused' });
  });

  it('shows controls that its owner has not dealt with', async () => {
    const { id } = (await daily()).body;
    await api.hand.claim();
    await api.post(`/runs/${id}/stop`);
    expect((await api.get(`/runs/${id}`)).body.requested).toEqual([
      { name: 'stop', by: 'api', at: new Date(START).toISOString() },
    ]);
  });

  it('says why a task failed', async () => {
    const { id } = (await daily()).body;
    await api.hand.claim();
    await api.hand.change(id, {
      state: 'failed',
      endedAt: START,
      tasks: [
        [
          0,
          api.hand.task('failed', {
            shards: [{ state: 'failed', attempt: 2, failures: 2, lost: 0, worker: 'w1', error: 'exit 1' }],
          }),
        ],
        [1, api.hand.task('skipped', { reason: 'extract failed' })],
      ],
    });
    const { tasks } = (await api.get(`/runs/${id}`)).body;
    expect(tasks).toMatchObject([
      { state: 'failed', reason: 'exit 1', attempt: 2, workers: ['w1'] },
      { state: 'skipped', reason: 'extract failed' },
    ]);
  });

  it('has its further tasks on pages of their own', async () => {
    const tasks = Array.from({ length: 1_005 }, (_, i) => ({ name: `t${i}`, type: 'shell' }));
    await api.post('/workflows', { name: 'wide', tasks });
    const { id } = (await start({ workflow: 'wide' })).body;
    await api.hand.claim();
    const { body } = await api.get(`/runs/${id}`);
    expect(body.tasks).toHaveLength(1_000);
    expect(body.nextTasks).toBe(`/api/v1/runs/${id}/tasks?from=1000`);
    const rest = await api.get(`/runs/${id}/tasks?from=1000`);
    expect(rest.body.tasks.map(({ name }: { name: string }) => name)).toEqual([
      't1000',
      't1001',
      't1002',
      't1003',
      't1004',
    ]);
    expect(rest.body.next).toBeNull();
    const page = await api.get(`/runs/${id}/tasks?from=2&limit=1`);
    expect(page.body).toMatchObject({
      tasks: [{ name: 't2' }],
      next: `/api/v1/runs/${id}/tasks?from=3&limit=1`,
    });
  });

  it.each(['0', '-1', '1.5', 'abc', '9007199254740993', '99999999999999999999', '1e3', '%00', "1'--"])(
    'is not found under the number %s',
    async (id) => {
      const { status, body } = await api.get(`/runs/${id}`);
      expect(status).toBe(400);
      expect(body.detail).toMatch(/^id: is /);
    },
  );

  it('is not found when there is none', async () => {
    const { status, body } = await api.get('/runs/4711');
    expect([status, body.detail]).toEqual([404, 'there is no run 4711']);
  });
});

describe('the list of runs', () => {
  it('is paged from the newest on, queued ones included', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) ids.push((await start({ workflow: 'plain' })).body.id);
    await api.hand.claim();
    for (let i = 0; i < 2; i++) ids.push((await daily()).body.id);
    const [a, b, c, d, e] = ids;
    const first = await api.get('/runs?limit=2');
    expect(first.body.runs).toMatchObject([
      { id: e, state: 'queued', name: 'daily' },
      { id: d, state: 'queued' },
    ]);
    const second = await api.get(first.body.next.replace('/api/v1', ''));
    expect(second.body.runs).toMatchObject([
      { id: c, state: 'running', name: 'plain' },
      { id: b, state: 'running' },
    ]);
    const third = await api.get(second.body.next.replace('/api/v1', ''));
    expect(third.body).toMatchObject({ runs: [{ id: a }], next: null });
  });

  it('is filtered by workflow and state', async () => {
    const { id: plain } = (await start({ workflow: 'plain' })).body;
    const { id: first } = (await daily()).body;
    await api.hand.claim();
    const { id: second } = (await daily()).body;
    await api.hand.change(first, { state: 'failed', endedAt: START });
    const list = async (query: string) =>
      (await api.get(`/runs?${query}`)).body.runs.map(({ id }: { id: number }) => id);
    expect(await list('workflow=etl/daily')).toEqual([second, first]);
    expect(await list('state=failed')).toEqual([first]);
    expect(await list('state=queued')).toEqual([second]);
    expect(await list('state=waiting&workflow=plain')).toEqual([plain]);
    expect(await list('state=waiting&workflow=etl/daily')).toEqual([]);
  });

  it.each([
    ['state=fine', 400],
    ['limit=0', 400],
    ['limit=1001', 400],
    ['limit=ten', 400],
    ['limit=5&limit=6', 400],
    ['before=-5', 400],
    ['sort=name', 400],
    ['workflow=nosuch', 404],
  ])('refuses ?%s with %i', async (query, status) => {
    expect((await api.get(`/runs?${query}`)).status).toBe(status);
  });
});
