import { openSqlite } from '@orrery/store';
import { describe, expect, it } from 'vitest';
import { testApi } from '../testing.ts';

const flow = 'name: w\nparams: { big: "" }\ntasks: [{name: a, type: shell}]';

it('a start whose parameters cannot be sent to a worker is refused with the limit', async () => {
  const api = await testApi();
  await api.publish(flow);
  const start = (length: number) => api.post('/runs', { workflow: 'w', params: { big: 'x'.repeat(length) } });
  expect((await start(700_000)).status).toBe(202);
  expect(await start(800_000)).toMatchObject({
    status: 413,
    body: { detail: expect.stringContaining('800000') },
  });
  const times = { workflow: 'w', times: ['2026-01-01'] };
  expect(await api.post('/backfills', { ...times, params: { big: 'x'.repeat(800_000) } })).toMatchObject({
    status: 413,
    body: { detail: expect.stringContaining('800000') },
  });
  await api.app.close();
  await api.store.close();
});

it('a start is answered while the database hangs, long before other requests are given up', {
  timeout: 20_000,
}, async () => {
  const store = await openSqlite(':memory:');
  const api = await testApi({ store: { ...store, submitCommand: () => new Promise(() => {}) } });
  await api.publish(flow);
  expect(await api.post('/runs', { workflow: 'w' })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
  await api.app.close();
  await store.close();
});

describe('starts that wait for a master', () => {
  it('are refused beyond the limit, by hand, by key and by schedule, until masters have taken some', async () => {
    const api = await testApi({ maxBacklog: 2 });
    await api.publish(`${flow}\nschedules: [{ name: s, cron: "0 8 * * *" }]`);
    const { body } = await api.get('/schedules');
    const start = (key?: string) =>
      api.post('/runs', { workflow: 'w' }, key === undefined ? {} : { 'idempotency-key': key });
    const fire = () => api.post(`/schedules/${body.schedules[0].id}/fire`);
    const later = () => {
      api.now += 1_000;
    };
    for (const key of ['a', 'b', 'c']) {
      later();
      expect((await start(key)).status).toBe(202);
    }
    later();
    for (const refused of [await start(), await start('d'), await fire()])
      expect(refused).toMatchObject({
        status: 429,
        headers: { 'retry-after': '5' },
        body: { type: 'urn:orrery:problem:too-many-starts', detail: expect.stringContaining('more than 2') },
      });
    await api.hand.claim();
    later();
    expect((await start('d')).status).toBe(202);
    expect((await fire()).status).toBe(202);
    expect(api.defects).toEqual([]);
    await api.app.close();
    await api.store.close();
  });

  it('are counted once a second, not for each start', async () => {
    const store = await openSqlite(':memory:');
    let reads = 0;
    const hasBacklog: typeof store.hasBacklog = (input) => {
      reads++;
      return store.hasBacklog(input);
    };
    const api = await testApi({ store: { ...store, hasBacklog } });
    await api.publish(flow);
    for (let k = 0; k < 20; k++) await api.post('/runs', { workflow: 'w' });
    expect(reads).toBe(1);
    api.now += 1_000;
    await Promise.all(Array.from({ length: 20 }, () => api.post('/runs', { workflow: 'w' })));
    expect(reads).toBe(2);
    await api.app.close();
    await store.close();
  });
});
