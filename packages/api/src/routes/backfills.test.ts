import { beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;

beforeEach(async () => {
  api = await testApi();
  await api.publish(`name: daily
timezone: Asia/Shanghai
params: {table: none}
schedules:
  - {name: night, cron: 0 2 * * *, from: 2026-06-01, params: {table: orders}}
  - {name: noon, cron: 0 12 * * *, timezone: UTC}
tasks: [{name: load, type: shell}]
`);
  await api.publish('name: plain\ntasks: [{name: a, type: shell}]');
});

const range = { workflow: 'daily', schedule: 'night', from: '2026-01-01', to: '2026-01-03' };
const post = (body: object, headers = {}) => api.post('/backfills', body, headers);
const dry = (body: object) => post({ ...range, ...body, dryRun: true });

describe('which business times a backfill has', () => {
  it('lists them in a dry run, and starts nothing', async () => {
    const { status, body } = await dry({});
    expect(status).toBe(200);
    expect(body).toEqual({
      id: null,
      state: null,
      repeated: false,
      count: 3,
      runs: 3,
      times: ['2025-12-31T18:00:00.000Z', '2026-01-01T18:00:00.000Z', '2026-01-02T18:00:00.000Z'],
      workflows: ['default/daily'],
    });
    expect((await api.get('/runs')).body.runs).toEqual([]);
  });

  it('ends a range at the moment that was given, and includes it', async () => {
    expect((await dry({ to: '2026-01-02 02:00:00' })).body.count).toBe(2);
    expect((await dry({ to: '2026-01-02 01:59:59' })).body.count).toBe(1);
  });

  it('reads times in the zone of the schedule, with the newest first if asked', async () => {
    const { body } = await dry({ schedule: 'noon', order: 'newest', to: '2026-01-02' });
    expect(body.times).toEqual(['2026-01-02T12:00:00.000Z', '2026-01-01T12:00:00.000Z']);
  });

  it('takes a cron or an interval in place of a schedule', async () => {
    const without = { ...range, schedule: undefined, dryRun: true };
    const cron = await post({ ...without, cron: '0 0 * * MON', timezone: 'UTC', to: '2026-01-31' });
    expect(cron.body.times).toEqual(['05', '12', '19', '26'].map((day) => `2026-01-${day}T00:00:00.000Z`));
    const every = await post({ ...without, every: '12h', to: '2026-01-01' });
    expect(every.body.times).toEqual(['2025-12-31T16:00:00.000Z', '2026-01-01T04:00:00.000Z']);
  });

  it('takes a list, each time once and in order', async () => {
    const times = ['2026-01-03', '2026-01-01T00:00:00Z', '2026-01-01 08:00:00'];
    const { body } = await post({ workflow: 'daily', times, dryRun: true });
    expect(body.times).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-02T16:00:00.000Z']);
  });

  it.each([
    [{ schedule: undefined }, 'schedule: which one? The workflow has night, noon'],
    [{ schedule: 'nigth' }, 'has no schedule "nigth"; did you mean "night"?'],
    [{ workflow: 'plain', schedule: undefined }, 'give cron or every: the workflow has no schedule'],
    [{ to: undefined }, 'to: is missing'],
    [{ from: undefined, to: undefined }, 'give from and to, or times'],
    [{ times: ['2026-01-01'] }, 'give either times or from and to'],
    [{ cron: '0 0 * * *' }, 'give one of schedule, cron and every'],
    [{ to: '2025-12-01' }, 'to: 2025-12-01 is before 2026-01-01'],
    [{ to: '2026-01-01 01:00:00' }, 'there is no tick from 2026-01-01 to 2026-01-01 01:00:00'],
    [{ schedule: undefined, cron: '0/5 * * * * ?', to: '2026-01-20' }, 'that would be 345600 runs'],
    [{ schedule: undefined, cron: '* * * * * ?', to: '2026-12-31' }, 'more than 1000000 runs'],
    [{ params: { tabel: 'x' } }, 'parameter "tabel": unknown; did you mean "table"?'],
    [{ parallel: 0 }, 'parallel'],
  ])('refuses %j with what is accepted', async (more, told) => {
    const { status, body } = await dry(more);
    expect(status).toBe(422);
    expect(body.detail).toContain(told);
  });
});

describe('starting a backfill', () => {
  it('queues a run of kind backfill that shows what it will do', async () => {
    const { status, body, headers } = await post({ ...range, parallel: 2 });
    expect([status, body.state, headers.location]).toEqual([202, 'queued', `/api/v1/runs/${body.id}`]);
    const { body: shown } = await api.get(`/runs/${body.id}`);
    expect(shown).toMatchObject({
      kind: 'backfill',
      trigger: 'api',
      params: { table: 'orders' },
      backfill: { total: 3, done: 0, open: 0, next: '2025-12-31T18:00:00.000Z', parallel: 2 },
    });
    expect((await api.get('/runs?kind=backfill')).body.runs).toHaveLength(1);
    expect(api.hinted).toContain('commands');
  });

  it('answers with the first one where the key is the same, and refuses another under that key', async () => {
    const key = { 'idempotency-key': 'january' };
    const { body: first } = await post(range, key);
    expect((await post(range, key)).body).toMatchObject({ id: first.id, repeated: true, state: 'queued' });
    expect((await post({ ...range, to: '2026-01-31' }, key)).status).toBe(409);
  });

  it('runs nothing of another project for those who have one', async () => {
    const own = await testApi({ token: 'the-token-of-the-server-under-test' });
    own.headers.authorization = 'Bearer the-token-of-the-server-under-test';
    await own.publish(
      'name: daily\ncallableFrom: [other]\nschedule: 0 2 * * *\ntasks: [{name: load, type: shell}]',
    );
    await own.publish(`project: other
name: after
tasks: [{name: wait, type: dependent, with: {all: [{workflow: default/daily, window: today}]}}]`);
    const { body } = await own.post('/tokens', { name: 'ci', role: 'operator', project: 'default' });
    own.headers.authorization = `Bearer ${body.token}`;
    const asked = { ...range, schedule: undefined, dryRun: true };
    expect((await own.post('/backfills', asked)).status).toBe(200);
    expect((await own.post('/backfills', { ...asked, includeDownstream: true })).status).toBe(403);
    own.headers.authorization = 'Bearer the-token-of-the-server-under-test';
    const wide = await own.post('/backfills', { ...range, schedule: undefined, includeDownstream: true });
    const narrow = await own.post('/backfills', { ...range, schedule: undefined });
    own.headers.authorization = `Bearer ${body.token}`;
    const stopped = async (ids: number[]) =>
      (await own.post('/bulks', { action: 'stop', ids, dryRun: true })).body.would.allowed;
    const stop = async ({ body: { id } }: { body: { id: number } }) =>
      (await own.post(`/runs/${id}/stop`, {})).status;
    // Not even after a master has claimed them.
    for (const claim of [false, true]) {
      if (claim) await own.hand.claim();
      expect((await own.get(`/runs/${wide.body.id}`)).status).toBe(200);
      for (const control of ['pause', 'resume', 'rerun', 'recover', 'set-parallel', 'replay']) {
        const asked = control === 'set-parallel' ? { parallel: 1 } : {};
        expect((await own.post(`/runs/${wide.body.id}/${control}`, asked)).status).toBe(403);
      }
      expect(await stop(wide)).toBe(403);
      expect(await stopped([wide.body.id, narrow.body.id])).toBe(1);
    }
    expect(await stop(narrow)).toBe(202);
  });
});
