import { type TaskPage, taskRows } from '@orrery/contract/task-columns';
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
  - {name: load, type: shell, needs: extract, retries: 2}
`);
  await api.publish('name: plain\ntasks: [{name: only, type: shell}]');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const iso = (ms: number) => new Date(START + ms).toISOString();
const tasksOf = async (id: number, query = '') =>
  taskRows((await api.get(`/runs/${id}/tasks${query}`)).body as TaskPage);
const start = (body: object, headers?: Record<string, string>) => api.post('/runs', body, headers);
const daily = (params: object = {}) =>
  start({ workflow: 'etl/daily', params: { day: '2026-02-28', ...params } });

describe('starting a run', () => {
  it('queues it, reserves its id and tells a master', async () => {
    const { status, body, headers } = await start({ workflow: 'plain' });
    expect([status, body]).toEqual([
      202,
      { id: expect.any(Number), state: 'queued', repeated: false, counts: true },
    ]);
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
    expect(again.body).toEqual({ id: first.body.id, state: 'queued', repeated: true, counts: true });
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
      round: 0,
      why: { code: 'start-no-master', state: 'queued' },
    });
    expect(await tasksOf(body.id)).toEqual([]);
  });

  it('can only be stopped, replayed, tagged and given another priority', async () => {
    const { id } = (await start({ workflow: 'plain' })).body;
    const { actions } = (await api.get(`/runs/${id}`)).body;
    expect(actions.filter(({ allowed }: { allowed: boolean }) => allowed)).toEqual([
      { name: 'stop', allowed: true },
      { name: 'replay', allowed: true },
      { name: 'set-priority', allowed: true },
      { name: 'tag', allowed: true },
    ]);
    const refused = await api.post(`/runs/${id}/pause`);
    expect([refused.status, refused.body.detail]).toEqual([409, 'the run is queued; it has not started']);
  });

  it('is claimed by the priority it is given, which is kept, audited and told', async () => {
    const { id: first } = (await start({ workflow: 'plain' })).body;
    const { id } = (await start({ workflow: 'plain', priority: 'low' })).body;
    const set = await api.put(`/runs/${id}/priority`, { priority: 'highest', reason: 'for the board' });
    expect(set).toMatchObject({ status: 200, body: { run: id, priority: 'highest', before: 'low' } });
    expect((await api.get(`/runs/${id}`)).body).toMatchObject({ priority: 'highest', ahead: 0 });
    expect((await api.get(`/runs/${first}`)).body).toMatchObject({ ahead: 1 });
    expect((await api.get('/audit')).body.entries[0]).toMatchObject({
      action: 'run.set-priority',
      subject: String(id),
      detail: { before: 'low', after: 'highest', reason: 'for the board' },
    });
    expect((await api.hand.claim()).map((run) => run)).toHaveLength(2);
    const { body } = await api.get(`/runs/${id}`);
    expect(body).toMatchObject({ state: 'running', priority: 'highest' });
    expect(body.actions).toContainEqual({
      name: 'set-priority',
      allowed: false,
      reason: 'the run has started',
      code: 'control.started',
    });
    const late = await api.put(`/runs/${id}/priority`, { priority: 'low' });
    expect([late.status, late.body.detail]).toEqual([409, 'the run has started']);
    expect((await api.put('/runs/999/priority', { priority: 'low' })).status).toBe(404);
    expect((await api.put(`/runs/${id}/priority`, { priority: 'urgent' })).status).toBe(422);
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
    expect(body).toMatchObject({ progress: { ended: 0, total: 2 }, children: [], failed: null });
    expect(body.rounds).toEqual([
      { round: 1, kind: 'start', by: null, startedAt: iso(0), endedAt: null, state: 'running' },
    ]);
    expect(body.why).toMatchObject({ id: String(id), code: 'task-waits' });
    expect(await tasksOf(id, '?include=needs')).toEqual([
      expect.objectContaining({
        id: `${id}.extract`,
        index: 0,
        name: 'extract',
        type: 'shell',
        state: 'submitted',
        attempt: 1,
        since: START,
        needs: [],
      }),
      expect.objectContaining({
        id: `${id}.load`,
        state: 'pending',
        attempt: 0,
        since: null,
        reason: null,
        needs: [0],
      }),
    ]);
    expect(body.actions).toContainEqual({ name: 'pause', allowed: true });
    expect(body.actions).toContainEqual({
      name: 'resume',
      allowed: false,
      reason: 'the run is not paused',
      code: 'control.notPaused',
    });
  });

  it('shows controls that its owner has not dealt with', async () => {
    const { id } = (await daily()).body;
    await api.hand.claim();
    await api.post(`/runs/${id}/stop`);
    expect((await api.get(`/runs/${id}`)).body.requested).toEqual([
      { name: 'stop', by: 'admin', at: new Date(START).toISOString() },
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
    expect(await tasksOf(id)).toMatchObject([
      { state: 'failed', reason: 'exit 1', attempt: 2, worker: 'w1', endedAt: START },
      { state: 'skipped', reason: 'extract failed' },
    ]);
    const failed = { task: 'extract', taskRun: `${id}.extract`, at: iso(0), error: 'exit 1' };
    const { body } = await api.get(`/runs/${id}`);
    expect(body).toMatchObject({ failed, why: { why: 'failed (extract: exit 1)' } });
    expect((await api.get('/runs')).body.runs[0]).toMatchObject({
      id,
      failed,
      counts: { failed: 1, skipped: 1 },
      since: iso(0),
      params: { day: '2026-02-28' },
      priority: 'high',
    });
  });

  it('tells tasks with shards before anything has happened to them', async () => {
    await api.post('/workflows', {
      name: 'parts',
      tasks: [
        { name: 'a', type: 'shell' },
        { name: 'b', type: 'shell', needs: ['a'], shards: 3 },
      ],
    });
    const { id } = (await start({ workflow: 'parts' })).body;
    await api.hand.claim();
    expect((await tasksOf(id)).map(({ shards }) => shards)).toEqual([null, {}]);
  });

  it('has its further tasks on pages of their own', async () => {
    const tasks = Array.from({ length: 1_005 }, (_, i) => ({ name: `t${i}`, type: 'shell' }));
    await api.post('/workflows', { name: 'wide', tasks });
    const { id } = (await start({ workflow: 'wide' })).body;
    await api.hand.claim();
    const { body } = await api.get(`/runs/${id}/tasks`);
    expect(body).toMatchObject({ total: 1_005, from: 0, next: `/api/v1/runs/${id}/tasks?from=1000` });
    expect(taskRows(body)).toHaveLength(1_000);
    expect((await tasksOf(id, '?from=1000')).map(({ name }) => name)).toEqual([
      't1000',
      't1001',
      't1002',
      't1003',
      't1004',
    ]);
    const page = await api.get(`/runs/${id}/tasks?from=2&limit=1`);
    expect(page.body.next).toBe(`/api/v1/runs/${id}/tasks?from=3&limit=1`);
    expect(taskRows(page.body)).toMatchObject([{ index: 2, name: 't2' }]);
  });

  it('has all its rounds, with who asked for them', async () => {
    const { id } = (await daily()).body;
    await api.hand.claim();
    const details = await api.store.readRunDetails({ id, from: 0, to: 0 });
    if (!details) throw new Error('no run');
    const { workflow, run, fields } = details;
    api.now += 1_000;
    const fact = { workflow, businessTime: run.businessTime, round: 1, state: 'failed', tasks: '{}' };
    await api.hand.change(id, { state: 'failed', startedAt: START, endedAt: api.now, fact });
    api.now += 1_000;
    const recovered = {
      ...fields,
      state: 'running',
      round: 2,
      roundKind: 'recover',
      roundStarted: api.now,
    } as const;
    const done = {
      actor: 'lw',
      kind: 'run',
      subject: String(id),
      action: 'recover-done',
      body: { round: 2 },
    } as const;
    await api.hand.change(id, { fields: recovered, endedAt: null, history: [done] });
    expect((await api.get(`/runs/${id}`)).body.rounds).toEqual([
      { round: 1, kind: 'start', by: null, startedAt: iso(0), endedAt: iso(1_000), state: 'failed' },
      { round: 2, kind: 'recover', by: 'lw', startedAt: iso(2_000), endedAt: null, state: 'running' },
    ]);
  });

  it('has a thousand task runs in 80 KB', async () => {
    const tasks = Array.from({ length: 1_000 }, (_, i) => ({ name: `extract_orders_${i}`, type: 'shell' }));
    await api.post('/workflows', { name: 'wide', tasks });
    const { id } = (await start({ workflow: 'wide' })).body;
    await api.hand.claim();
    api.now += 123_456;
    const shard = { state: 'success', attempt: 1, failures: 0, lost: 0, worker: 'worker-17' } as const;
    await api.hand.change(id, {
      state: 'running',
      tasks: tasks.map((_, i) => [i, api.hand.task('success', { started: api.now - 50, shards: [shard] })]),
    });
    const { body } = await api.get(`/runs/${id}/tasks`);
    expect(JSON.stringify(body).length).toBeLessThan(80_000);
    expect(taskRows(body)[999]).toMatchObject({
      name: 'extract_orders_999',
      state: 'success',
      worker: 'worker-17',
      queuedAt: api.now - 50,
      endedAt: api.now,
    });
  });

  it('says who owns it, who lost it, and which attempt failed', async () => {
    const { id } = (await daily()).body;
    const show = async () => (await api.get(`/runs/${id}`)).body;
    expect(await show()).toMatchObject({
      ownerEpoch: null,
      takenOver: null,
      failedAttempt: null,
      tick: null,
    });
    await api.hand.claim();
    const { epoch } = await api.hand.join();
    const lost = { node: 'm2', epoch: 7, how: 'fenced', at: START - 1_200 };
    const body = { reason: 'm2 epoch 7 was fenced by m1', epoch: 12, lost };
    const shard = { state: 'failed', attempt: 3, failures: 3, lost: 0, error: 'exit 1' } as const;
    await api.hand.change(id, {
      state: 'failed',
      tasks: [[1, api.hand.task('failed', { shards: [shard] })]],
      history: [{ actor: 'm1', kind: 'run', subject: String(id), action: 'taken-over', body }],
    });
    expect(await show()).toMatchObject({
      ownerEpoch: epoch,
      takenOver: { at: iso(0), by: 'm1', epoch: 12, from: { ...lost, at: iso(-1_200) } },
      failed: { task: 'load', error: 'exit 1' },
      failedAttempt: { number: 3, most: 3 },
    });
    const { events } = (await api.get(`/runs/${id}/events`)).body;
    expect(events.find(({ action }: { action: string }) => action === 'taken-over')).toMatchObject({
      actor: 'm1',
      epoch: 12,
      text: body.reason,
    });
  });

  it('has a history of all that happened to it, with who did what', async () => {
    const { id } = (await daily()).body;
    expect((await api.get(`/runs/${id}/events`)).body).toMatchObject({
      events: [{ kind: 'created', state: 'api', at: iso(0) }],
      next: null,
    });
    await api.hand.claim();
    await api.hand.joinWorker();
    await api.hand.change(id, { state: 'running', startedAt: START });
    await api.hand.enqueue(id, 0);
    await api.hand.take();
    api.now += 1_000;
    await api.post(`/runs/${id}/pause`, { reason: 'bad input' });
    api.now += 1_000;
    await api.hand.end(id, 0, { state: 'failed', error: 'exit 1' }, api.hand.task('failed'));
    const first = await api.get(`/runs/${id}/events?limit=4`);
    const rest = await api.get(first.body.next.replace('/api/v1', ''));
    expect(rest.body.next).toBeNull();
    const events = [...first.body.events, ...rest.body.events];
    expect(events.map(({ kind, at }) => [kind, at])).toEqual([
      ['created', iso(0)],
      ['started', iso(0)],
      ['queued', iso(0)],
      ['assigned', iso(0)],
      ['action', iso(1_000)],
      ['attempt', iso(2_000)],
      ['task', iso(2_000)],
    ]);
    expect(events[4]).toMatchObject({ actor: 'admin', action: 'pause', text: 'bad input' });
    expect(events[5]).toMatchObject({ task: 'extract', number: 1, worker: 'w1', text: 'exit 1' });
    expect((await api.get(`/runs/${id}/events?after=1.2`)).status).toBe(400);
    const back = await api.get(`/runs/${id}/events?order=newest&limit=4`);
    const older = await api.get(back.body.next.replace('/api/v1', ''));
    expect([...back.body.events, ...older.body.events]).toEqual(events.toReversed());
  });

  it.each(['0', '-1', '1.5', 'abc', '9007199254740993', '99999999999999999999', '1e3', '%00', "1'--"])(
    'is not found under the number %s',
    async (id) => {
      const { status, body } = await api.get(`/runs/${id}`);
      expect(status).toBe(400);
      expect(body.detail).toMatch(/^id: /);
    },
  );

  it('is not found when there is none, or none any more', async () => {
    const { status, body } = await api.get('/runs/4711');
    expect(status).toBe(404);
    expect(body.detail).toMatch(/^there is no run 4711; the newest number is \d+$/);
    const gone = await api.store.readNewestNumber();
    const config = [{ name: 'keepRuns', value: '90d', source: 'default', secret: false }];
    const other = await testApi({ store: api.store, config });
    expect((await other.get(`/runs/${gone}`)).body.detail).toBe(
      `there is no run ${gone}; runs that have ended are kept for 90d`,
    );
    await other.app.close();
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
    const oldest = await api.get('/runs?order=oldest&limit=4');
    expect(oldest.body.runs.map(({ id }: { id: number }) => id)).toEqual([a, b, c, d]);
    const last = await api.get(oldest.body.next.replace('/api/v1', ''));
    expect(last.body).toMatchObject({ runs: [{ id: e, state: 'queued' }], next: null });
    expect((await api.get('/runs?limit=5')).body.next).toBe(null);
  });

  it('is sorted by how long runs took, those that have not started last', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) ids.push((await start({ workflow: 'plain' })).body.id);
    await api.hand.claim();
    const [a, b, c] = ids;
    const { id: queued } = (await start({ workflow: 'plain' })).body;
    await api.hand.change(a, { state: 'success', startedAt: START, endedAt: START + 5_000 });
    await api.hand.change(b, { state: 'failed', startedAt: START, endedAt: START + 9_000 });
    await api.hand.change(c, { state: 'success', startedAt: START, endedAt: START + 1_000 });
    const idsOf = ({ body }: { body: { runs: { id: number }[] } }) => body.runs.map(({ id }) => id);
    const longest = await api.get('/runs?order=longest&limit=2');
    expect(idsOf(longest)).toEqual([b, a]);
    const rest = await api.get(longest.body.next.replace('/api/v1', ''));
    expect([idsOf(rest), rest.body.next]).toEqual([[c, queued], null]);
    expect(idsOf(await api.get('/runs?order=shortest&state=success'))).toEqual([c, a]);
    expect(idsOf(await api.get(`/runs?order=shortest&q=${b}`))).toEqual([b]);
    const none = await api.get('/runs?order=fastest');
    expect([none.status, JSON.stringify(none.body)]).toEqual([
      400,
      expect.stringContaining('must be newest, oldest, longest or shortest'),
    ]);
    const found = await api.store.readCommand({ run: queued });
    const command = JSON.parse(found?.body ?? '{}');
    await api.store.submitCommands({ commands: Array.from({ length: 2_000 }, () => command), now: api.now });
    const many = await api.get('/runs?order=longest');
    expect([many.status, many.body.detail]).toEqual([
      422,
      expect.stringContaining('at most 10000 have to be looked at; narrow them by from, to, workflow'),
    ]);
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
    expect(await list('workflow=etl/*')).toEqual([second, first]);
    expect(await list('workflow=etl/*&project=default')).toEqual([]);
    expect(await list('state=failed')).toEqual([first]);
    expect(await list('state=queued')).toEqual([second]);
    expect(await list('state=running&workflow=plain')).toEqual([plain]);
    expect(await list('state=running&workflow=etl/daily')).toEqual([]);
  });

  it('is filtered by everything else a run has', async () => {
    const { id: plain } = (await start({ workflow: 'plain', trigger: 'manual' })).body;
    api.now += 3_600_000;
    const { id: first } = (await daily()).body;
    await api.hand.claim();
    await api.hand.change(first, { state: 'failed', endedAt: START, release: true });
    const list = async (query: string) =>
      (await api.get(`/runs?${query}`)).body.runs.map(({ id }: { id: number }) => id);
    expect(await list('project=etl')).toEqual([first]);
    expect(await list('state=failed,running')).toEqual([first, plain]);
    expect(await list('trigger=manual')).toEqual([plain]);
    expect(await list('trigger=manual,api')).toEqual([first, plain]);
    expect(await list('kind=backfill')).toEqual([]);
    expect(await list('from=-30m')).toEqual([first]);
    expect(await list(`to=${iso(1)}`)).toEqual([plain]);
    expect(await list('q=DAI')).toEqual([first]);
    expect(await list(`q=${plain}`)).toEqual([plain]);
    expect(await list(`q=${plain}&state=failed`)).toEqual([]);
    expect(await list('q=nothing')).toEqual([]);
    expect(await list('unowned=true')).toEqual([]);
    const counted = await api.get('/runs?count=true&limit=1');
    expect(counted.body.count).toEqual({ value: 2, more: false });
    expect((await api.get(`/runs?count=true&q=${plain}`)).body.count).toEqual({ value: 1, more: false });
  });

  it('is counted by time and outcome', async () => {
    const { id: first } = (await daily()).body;
    await api.hand.claim();
    await api.hand.change(first, { state: 'failed', endedAt: START });
    api.now += 3_600_000;
    await start({ workflow: 'plain' });
    const { body } = await api.get(`/runs/histogram?from=-2h&buckets=2`);
    expect(body).toEqual({
      from: iso(-3_600_000),
      to: iso(3_600_000),
      width: 3_600_000,
      sampled: 1,
      success: [0, 0],
      failed: [0, 1],
      stopped: [0, 0],
      open: [0, 0],
    });
    const all = (await api.get(`/runs/histogram?from=-2h&to=${iso(3_600_001)}&buckets=1`)).body;
    expect([all.failed, all.open]).toEqual([[1], [1]]);
    expect((await api.get('/runs/histogram?from=-1h&to=-2h')).status).toBe(400);
  });

  it.each([
    ['from=yesterday', 400],
    ['trigger=magic', 400],
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
