import { fireTick } from '@orrery/testkit/fire-tick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let ids: number[];
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
project: etl
name: daily
tasks: [{name: a, type: shell}]
schedules:
  - {name: noon, cron: 0 12 * * *, timezone: Asia/Shanghai, params: {}}
  - {name: often, every: 10m, misfire: skip}
`);
  await api.publish('name: other\nschedule: 0 0 * * *\ntasks: [{name: a, type: shell}]');
  ids = (await api.get('/schedules')).body.schedules.map((schedule: { id: number }) => schedule.id);
  api.hinted.length = 0;
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const list = async (query: string) =>
  (await api.get(`/schedules${query}`)).body.schedules.map(({ name }: { name: string }) => name);

describe('schedules', () => {
  it('are listed with their workflow and next due time', async () => {
    const { body } = await api.get(`/schedules/${ids[0]}`);
    expect(body).toMatchObject({
      project: 'etl',
      workflow: 'daily',
      name: 'noon',
      cron: '0 12 * * *',
      timezone: 'Asia/Shanghai',
      state: 'on',
      nextDue: '2026-03-02T04:00:00.000Z',
    });
  });

  it('are listed by workflow and in pages', async () => {
    expect(await list('')).toEqual(['noon', 'often', 'main']);
    expect(await list('?workflow=other')).toEqual(['main']);
    const { body } = await api.get('/schedules?limit=2');
    expect(body.next).toBe(`/api/v1/schedules?limit=2&after=${ids[1]}`);
    expect(await list(`?limit=2&after=${ids[1]}`)).toEqual(['main']);
  });

  it('are paused and resumed, which computes the next due time again', async () => {
    const paused = await api.post(`/schedules/${ids[1]}/pause`);
    expect([paused.status, paused.body.state, paused.body.nextDue]).toEqual([200, 'paused', null]);
    const again = await api.post(`/schedules/${ids[1]}/pause`);
    expect([again.status, again.body.detail]).toEqual([409, 'the schedule is already paused']);
    api.now = START + 3_600_000;
    const resumed = await api.post(`/schedules/${ids[1]}/resume`);
    expect([resumed.body.state, resumed.body.nextDue]).toEqual(['on', '2026-03-01T09:10:00.000Z']);
    expect((await api.post(`/schedules/${ids[1]}/resume`)).status).toBe(409);
    expect(api.hinted).toEqual(['schedules', 'schedules']);
  });

  it('show their ticks and skips, newest first', async () => {
    const [schedule] = await api.store.dueSchedules({ until: START + 600_000, limit: 5 });
    const { id: workflow } = (await api.store.readWorkflow({ project: 'etl', name: 'daily' })) ?? { id: 0 };
    await api.post('/runs', { workflow: 'etl/daily' });
    const [{ command }] = await api.store.listCommands({ limit: 1 });
    const due = START + 600_000;
    api.now = due + 3;
    await fireTick(api.store, {
      self: await api.hand.join(),
      schedule: schedule.id,
      version: schedule.version,
      seen: schedule.firedUntil,
      firedUntil: due,
      nextDue: due + 600_000,
      ticks: [
        {
          due,
          command: {
            ...command,
            workflow,
            trigger: 'tick',
            request: { ...command.request, businessTime: due },
          },
        },
      ],
      skipped: { from: START - 1_200_000, to: START - 600_000, count: 2, reason: 'missed' },
      now: due + 3,
    });
    const { body } = await api.get(`/schedules/${ids[1]}/ticks`);
    expect(body.ticks).toEqual([
      { due: '2026-03-01T08:10:00.000Z', firedAt: '2026-03-01T08:10:00.003Z', run: expect.any(Number) },
      {
        due: '2026-03-01T07:40:00.000Z',
        until: '2026-03-01T07:50:00.000Z',
        count: 2,
        skipped: 'missed',
        recordedAt: '2026-03-01T08:10:00.003Z',
      },
    ]);
    await api.hand.claim();
    expect((await api.get(`/runs/${body.ticks[0].run}`)).body.tick).toEqual({
      schedule: ids[1],
      name: schedule.name,
      due: '2026-03-01T08:10:00.000Z',
      firedAt: '2026-03-01T08:10:00.003Z',
    });
    const page = await api.get(`/schedules/${ids[1]}/ticks?limit=1`);
    expect(page.body.next).toBe(`/api/v1/schedules/${ids[1]}/ticks?limit=1&before=${due}`);
    expect((await api.get(page.body.next.replace('/api/v1', ''))).body.ticks).toMatchObject([{ count: 2 }]);
  });

  it.each([
    ['/schedules/4711', 404],
    ['/schedules/4711/ticks', 404],
    ['/schedules/x', 400],
    ['/schedules?workflow=nosuch', 404],
    ['/schedules?before=1', 400],
  ])('answer %s with %i', async (path, status) => {
    expect((await api.get(path)).status).toBe(status);
  });

  it('are listed by project and state, with their next ticks and what can be done', async () => {
    await api.post(`/schedules/${ids[0]}/pause`);
    expect(await list('?project=etl')).toEqual(['noon', 'often']);
    expect(await list('?state=paused')).toEqual(['noon']);
    expect(await list('?state=on&project=etl')).toEqual(['often']);
    const { body } = await api.get(`/schedules/${ids[1]}`);
    expect(body.nextTicks.slice(0, 2)).toEqual(['2026-03-01T08:10:00.000Z', '2026-03-01T08:20:00.000Z']);
    expect(body.nextTicks).toHaveLength(5);
    expect(body.actions).toEqual([
      { name: 'pause', allowed: true },
      { name: 'resume', allowed: false, reason: 'it is not paused', code: 'schedule.notPaused' },
    ]);
    expect((await api.get(`/schedules/${ids[0]}`)).body.nextTicks).toEqual([]);
  });

  it('say which due time was missed', async () => {
    const late = async () => (await api.get(`/schedules/${ids[1]}`)).body.late;
    expect(await late()).toBeNull();
    api.now = START + 609_999;
    expect(await late()).toBeNull();
    api.now = START + 610_000;
    expect(await late()).toBe('2026-03-01T08:10:00.000Z');
  });

  it('are changed only as they were seen', async () => {
    const { headers } = await api.get(`/schedules/${ids[0]}`);
    expect(headers.etag).toBe('"1"');
    const stale = await api.post(`/schedules/${ids[0]}/pause`, undefined, { 'if-match': '"9"' });
    expect([stale.status, stale.body.current.version]).toEqual([412, 1]);
    const paused = await api.post(`/schedules/${ids[0]}/pause`, undefined, { 'if-match': '"1"' });
    expect([paused.status, paused.body.version, paused.headers.etag]).toEqual([200, 2, '"2"']);
  });

  it('that do not exist cannot be paused', async () => {
    expect((await api.post('/schedules/4711/pause')).status).toBe(404);
  });
});

describe('a schedule fired by hand', () => {
  const fire = (headers = {}) => api.post(`/schedules/${ids[2]}/fire`, undefined, headers);

  beforeEach(async () => {
    await api.publish(`
name: other
timezone: UTC
priority: low
schedule: {cron: 0 0 * * *, timezone: Asia/Shanghai, priority: high, params: {full: "yes"}}
params: {full: "no"}
tasks: [{name: a, type: shell}]`);
  });

  it('starts a run with its parameters, priority and zone, and uses up no due time', async () => {
    const before = (await api.get(`/schedules/${ids[2]}`)).body;
    api.hinted.length = 0;
    const { status, body, headers } = await fire();
    expect([status, body]).toEqual([202, { id: expect.any(Number), repeated: false }]);
    expect(headers.location).toBe(`/api/v1/runs/${body.id}`);
    expect(api.hinted).toEqual(['commands']);
    const [{ command }] = await api.store.listCommands({ limit: 1 });
    expect(command).toMatchObject({ trigger: 'manual', params: { full: 'yes' } });
    expect(command.request).toMatchObject({
      businessTime: api.now,
      timezone: 'Asia/Shanghai',
      priority: 'high',
    });
    expect((await api.get(`/schedules/${ids[2]}`)).body).toEqual(before);
    expect((await api.get(`/schedules/${ids[2]}/ticks`)).body.ticks).toEqual([]);
  });

  it('is recorded with who asked for it', async () => {
    const { body } = await fire();
    const { entries } = (await api.get('/audit')).body;
    expect(entries[0]).toMatchObject({
      actor: expect.any(String),
      action: 'schedule.fire',
      subject: 'default/other main',
      detail: { run: body.id },
    });
  });

  it('fires while it is paused, and once for the same key', async () => {
    await api.post(`/schedules/${ids[2]}/pause`);
    const first = await fire({ 'idempotency-key': 'k' });
    const again = await fire({ 'idempotency-key': 'k' });
    expect([first.status, again.body]).toEqual([202, { id: first.body.id, repeated: true }]);
    expect((await api.post('/schedules/4711/fire')).status).toBe(404);
  });
});

describe('ticks of all schedules', () => {
  const ticks = async (query: string) => (await api.get(`/ticks?${query}`)).body;
  const short = ({ name, due, state }: { name: string; due: string; state: string }) =>
    `${state} ${due.slice(11, 16)} ${name}`;

  beforeEach(async () => {
    const [schedule] = await api.store.dueSchedules({ until: START + 600_000, limit: 5 });
    await api.post('/runs', { workflow: 'etl/daily' });
    const [{ command }] = await api.store.listCommands({ limit: 1 });
    api.now = START + 1_800_010;
    await fireTick(api.store, {
      self: await api.hand.join(),
      schedule: schedule.id,
      version: schedule.version,
      seen: schedule.firedUntil,
      firedUntil: START + 1_800_000,
      nextDue: START + 2_400_000,
      ticks: [{ due: START + 600_000, command }],
      skipped: { from: START + 1_200_000, to: START + 1_800_000, count: 2, reason: 'missed' },
      now: START + 1_800_003,
    });
  });

  it('are fired, skipped and due next, in the order of time', async () => {
    const body = await ticks('from=2026-03-01T08:00:00Z&to=2026-03-01T09:00:00Z');
    expect(body.ticks.map(short)).toEqual([
      'fired 08:10 often',
      'skipped 08:20 often',
      'due 08:40 often',
      'due 08:50 often',
    ]);
    expect(body.ticks[0]).toMatchObject({ project: 'etl', workflow: 'daily', run: expect.any(Number) });
    expect(body.ticks[1]).toMatchObject({ count: 2, until: '2026-03-01T08:30:00.000Z', reason: 'missed' });
    const hour = 'from=2026-03-01T08:00:00Z&to=2026-03-01T09:00:00Z';
    const counted = (await api.get(`/ticks/counts?${hour}&step=1800000`)).body;
    const sums = Map.groupBy(body.ticks as { state: string; due: string; count?: number }[], ({ due }) =>
      due < '2026-03-01T08:30' ? 0 : 1,
    );
    const of = (step: 0 | 1, state: string) =>
      (sums.get(step) ?? [])
        .filter((tick) => tick.state === state)
        .reduce((sum, { count = 1 }) => sum + count, 0);
    for (const state of ['fired', 'skipped', 'due'] as const)
      expect([state, counted.steps[state]]).toEqual([
        state,
        counted.steps.at.map((_: string, k: 0 | 1) => of(k, state)),
      ]);
    expect((await api.get(`/ticks/counts?${hour}&step=1`)).status).toBe(400);
    expect(
      (await api.get('/ticks/counts?from=2026-01-01T00:00:00Z&to=2026-03-01T09:00:00Z&step=60000')).body
        .detail,
    ).toContain('5000 steps');
    const { schedules } = (await api.get('/schedules?include=recent')).body;
    const fired = schedules.find(({ recent }: { recent: { last: unknown } }) => recent.last !== null);
    expect(fired.recent).toMatchObject({
      skipped: 2,
      last: { due: expect.any(String), run: expect.any(Number) },
    });
    expect(body.next).toBeNull();
  });

  it('are the same page by page, across what was and what is to come', async () => {
    const range = 'from=2026-03-01T08:00:00Z&to=2026-03-02T12:00:00%2B08:00';
    const { ticks: whole } = await ticks(`${range}&limit=1000`);
    const paged: unknown[] = [];
    let next: string | null = `/api/v1/ticks?${range}&limit=3`;
    while (next !== null) {
      const { body } = await api.get(next.replace('/api/v1', ''));
      paged.push(...body.ticks);
      next = body.next;
    }
    expect(paged).toEqual(whole);
    expect(whole.map(short)).toContain('due 00:00 main');
    expect(whole.length).toBeGreaterThan(100);
  });

  it('are those of a project or a workflow where that is asked for', async () => {
    const range = 'from=2026-03-01T08:00:00Z&to=2026-03-03T00:00:01Z';
    const names = async (query: string) =>
      new Set((await ticks(`${range}&limit=1000${query}`)).ticks.map(({ name }: { name: string }) => name));
    expect(await names('&project=default')).toEqual(new Set(['main']));
    expect(await names('&workflow=etl/daily')).toEqual(new Set(['often', 'noon']));
  });

  it.each([
    '',
    'from=2026-03-01T08:00:00Z',
    'from=2026-03-01T08:00:00Z&to=2026-03-01T08:00:00Z',
    'from=now&to=then',
  ])('want a range: %s', async (query) => {
    expect((await api.get(`/ticks?${query}`)).status).toBe(400);
  });
});

describe('changing a schedule', () => {
  const put = (body: object, headers = {}) => api.put(`/schedules/${ids[0]}`, body, headers);
  const daily = async () => (await api.get('/workflows/etl/daily')).body;

  it('makes a new version in which nothing else differs, and is live at once', async () => {
    const { status, body, headers } = await put({ cron: '30 3 * * *', params: { full: true } });
    expect([status, headers.etag]).toEqual([200, '"2"']);
    expect(body).toMatchObject({
      cron: '30 3 * * *',
      timezone: 'Asia/Shanghai',
      params: { full: 'true' },
      nextDue: '2026-03-01T19:30:00.000Z',
      version: 2,
    });
    expect(body.nextTicks).toHaveLength(5);
    expect(await daily()).toMatchObject({ version: 2, note: 'schedule noon changed' });
    const { schedules } = (await daily()).workflow;
    expect(schedules.map(({ name }: { name: string }) => name)).toEqual(['noon', 'often']);
    expect(await list('?workflow=etl/daily')).toEqual(['noon', 'often']);
    expect(api.hinted).toEqual(['schedules']);
    const { body: source } = await api.get('/workflows/etl/daily/source');
    expect(source).toContain('30 3 * * *');
  });

  it('takes what is due by it from a tick that a master has in its timer', async () => {
    const before = await api.store.listSchedules({});
    await put({ every: '1h' });
    const { fired } = await fireTick(api.store, {
      self: await api.hand.join(),
      schedule: ids[0],
      version: before[0].version,
      seen: before[0].firedUntil,
      firedUntil: before[0].nextDue ?? 0,
      nextDue: null,
      ticks: [],
      now: api.now,
    });
    expect(fired).toBe(false);
  });

  it('leaves one that is paused so, unless it says otherwise', async () => {
    await api.post(`/schedules/${ids[0]}/pause`);
    expect((await put({ cron: '0 4 * * *' })).body).toMatchObject({ state: 'paused', nextDue: null });
    expect((await put({ enabled: true })).body).toMatchObject({ state: 'on', cron: '0 4 * * *' });
  });

  it('only says when it would fire in a dry run', async () => {
    const { body } = await put({ every: '6h', timezone: null, dryRun: true });
    expect(body).toMatchObject({ every: 21_600_000, timezone: 'UTC', version: 1 });
    expect(body.nextTicks[0]).toBe('2026-03-01T12:00:00.000Z');
    expect((await daily()).version).toBe(1);
  });

  it('says in a dry run when a paused one would fire once resumed', async () => {
    await api.post(`/schedules/${ids[0]}/pause`);
    const { body } = await put({ every: '6h', timezone: null, dryRun: true });
    expect(body).toMatchObject({ state: 'paused', nextDue: null });
    expect(body.nextTicks[0]).toBe('2026-03-01T12:00:00.000Z');
    expect((await daily()).version).toBe(1);
  });

  it('changes nothing where it is the same already', async () => {
    expect((await put({ cron: '0 12 * * *' })).body.version).toBe(1);
    expect((await daily()).version).toBe(1);
  });

  it.each([
    [{ cron: '0 12 * *' }, 'cron: cron "0 12 * *": 4 fields'],
    [{ timezone: 'Asia/Shangai' }, 'did you mean "Asia/Shanghai"?'],
    [{ until: '2020-01-01', from: '2021-01-01' }, 'until: "until" is before "from"; swap them'],
    [{ cron: '0 1 * * *', every: '1h' }, 'has both "cron" and "every"'],
    [{ corn: '0 1 * * *' }, 'corn: unknown; did you mean "cron"?'],
  ])('is refused for %j', async (body, told) => {
    const answer = await put(body);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining(told)]);
    expect((await daily()).version).toBe(1);
  });

  it('is refused where somebody changed it meanwhile', async () => {
    await put({ cron: '0 4 * * *' });
    const late = await put({ cron: '0 5 * * *' }, { 'if-match': '"1"' });
    expect([late.status, late.body.current?.cron]).toEqual([412, '0 4 * * *']);
  });
});
