import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const seen = (revision: number) => ({ 'if-match': `"${revision}"` });
const days = { dates: ['2026-03-02'], yearly: ['12-25'], weekdays: ['sunday'] };
const flow = (calendar: string) =>
  `name: w\nschedule: {cron: 0 9 * * *, calendar: ${calendar}}\ntasks: [{name: a, type: shell}]`;

describe('a calendar', () => {
  it('is set against the revision that was seen', async () => {
    const made = await api.put('/calendars/sales/holidays', days, seen(0));
    expect(made).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(made.body).toMatchObject({ ...days, weekdays: [0], schedules: 0, moved: [] });
    const stale = await api.put('/calendars/sales/holidays', {}, seen(0));
    expect(stale).toMatchObject({ status: 412, body: { current: { dates: days.dates, revision: 1 } } });
    expect((await api.get('/calendars?project=sales')).body.calendars).toHaveLength(1);
    expect((await api.get('/calendars?project=other')).body.calendars).toEqual([]);
  });

  it.each([
    ['a day that does not exist', { dates: ['2026-02-29'] }, '"2026-02-29" is not a day'],
    ['a word', { dates: ['tomorrow'] }, 'is not a day; write 2026-05-01'],
    ['a day of no year', { yearly: ['02-30'] }, 'is not a day of the year; write 12-25'],
    ['no weekday', { weekdays: ['funday'] }, 'monday'],
    ['a number', { weekdays: [0] }, 'monday'],
    ['no list', { dates: '2026-05-01' }, 'dates'],
    ['an unknown key', { days: [] }, 'dates, yearly, weekdays'],
    ['too many', { dates: Array.from({ length: 1_001 }, () => '2026-05-01') }, '1000'],
  ])('is refused with what is wrong: %s', async (_, body, told) => {
    const answer = await api.put('/calendars/default/x', body);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(told.replaceAll('"', '\\"'));
    expect((await api.get('/calendars')).body.calendars).toEqual([]);
  });

  it('is left out by schedules of its project, which say so before and after', async () => {
    const refused = await api.publish(flow('holidays'));
    expect(refused.body.problems).toMatchObject([{ code: 'unknown-calendar' }]);
    await api.put('/calendars/other/holidays', days);
    expect((await api.publish(flow('holidays'))).status).toBe(422);
    await api.put('/calendars/default/holidays', {});
    await api.publish(flow('holidays'));
    const [schedule] = (await api.get('/schedules')).body.schedules;
    expect(schedule).toMatchObject({
      calendar: 'holidays',
      nextDue: '2026-03-01T09:00:00.000Z',
      leftOut: [],
    });
    const dry = await api.put('/calendars/default/holidays', { ...days, dryRun: true });
    expect(dry.body.moved).toEqual([
      {
        ...{ schedule: schedule.id, project: 'default', workflow: 'w', name: 'main' },
        ...{ before: '2026-03-01T09:00:00.000Z', after: '2026-03-03T09:00:00.000Z' },
      },
    ]);
    expect((await api.get(`/schedules/${schedule.id}`)).body).toEqual(schedule);
    await api.put('/calendars/default/holidays', days);
    const { body: after } = await api.get(`/schedules/${schedule.id}`);
    expect(after).toMatchObject({
      nextDue: '2026-03-03T09:00:00.000Z',
      leftOut: ['2026-03-01T09:00:00.000Z', '2026-03-02T09:00:00.000Z'],
      version: schedule.version + 1,
    });
    const { ticks } = (await api.get('/ticks?from=2026-03-01T00:00:00Z&to=2026-03-04T00:00:00Z')).body;
    expect(ticks).toMatchObject([{ due: '2026-03-03T09:00:00.000Z', state: 'due' }]);
    const backfill = { workflow: 'w', from: '2026-02-27', to: '2026-03-03', dryRun: true };
    expect((await api.post('/backfills', backfill)).body.times).toEqual([
      '2026-02-27T09:00:00.000Z',
      '2026-02-28T09:00:00.000Z',
      '2026-03-03T09:00:00.000Z',
    ]);
    const edit = { calendar: null, dryRun: true };
    expect((await api.put(`/schedules/${schedule.id}`, edit)).body).toMatchObject({ leftOut: [] });
    const other = await api.put(`/schedules/${schedule.id}`, { calendar: 'holliday' });
    expect(other).toMatchObject({ status: 422, body: { detail: expect.stringContaining('did you mean') } });
    const used = await api.del('/calendars/default/holidays');
    expect(used).toMatchObject({ status: 409, body: { detail: expect.stringContaining('is used by') } });
  });

  it('is resumed with its days, also where they changed while a schedule was paused', async () => {
    await api.put('/calendars/default/holidays', {});
    await api.publish(flow('holidays'));
    const [{ id }] = (await api.get('/schedules')).body.schedules;
    await api.post(`/schedules/${id}/pause`);
    await api.put('/calendars/default/holidays', days);
    expect((await api.get(`/schedules/${id}`)).body).toMatchObject({ state: 'paused', nextDue: null });
    const { body } = await api.post(`/schedules/${id}/resume`);
    expect(body).toMatchObject({ nextDue: '2026-03-03T09:00:00.000Z' });
  });

  it('stays out of reach of who has only another project, or may only look', async () => {
    await api.app.close();
    await api.store.close();
    api = await testApi({ token: 'root-token' });
    api.headers.authorization = 'Bearer root-token';
    await api.put('/calendars/default/holidays', days);
    const { body: elsewhere } = await api.post('/tokens', { name: 'x', role: 'admin', project: 'sales' });
    const { body: viewer } = await api.post('/tokens', { name: 'y', role: 'viewer' });
    const url = '/calendars/default/holidays';
    for (const [token, statuses] of [
      [elsewhere.token, [403, 403, 403]],
      [viewer.token, [200, 403, 403]],
    ] as const) {
      api.headers.authorization = `Bearer ${token}`;
      const answers = [await api.get(url), await api.put(url, {}), await api.del(url)];
      expect(answers.map(({ status }) => status)).toEqual(statuses);
    }
    api.headers.authorization = `Bearer ${elsewhere.token}`;
    expect((await api.get('/calendars')).body.calendars).toEqual([]);
  });
});
