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

  it('are paused and resumed, which computes the next due time anew', async () => {
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
    await api.store.fireTicks({
      self: await api.hand.join(),
      schedule: schedule.id,
      version: schedule.version,
      seen: schedule.firedUntil,
      firedUntil: due,
      nextDue: due + 600_000,
      ticks: [{ due, command: { ...command, workflow, trigger: 'tick' } }],
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

  it('that do not exist cannot be paused', async () => {
    expect((await api.post('/schedules/4711/pause')).status).toBe(404);
  });
});
