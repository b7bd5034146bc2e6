import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

describe('a preview', () => {
  it.each([
    [
      'cron',
      { cron: '0 0 12 ? * 2', tz: 'Asia/Shanghai', from: '2026-01-01T00:00:00Z', count: 2 },
      { next: ['2026-01-05T04:00:00Z', '2026-01-12T04:00:00Z'] },
    ],
    ['cron', { cron: '0 12 * * *', count: 1 }, { next: ['2026-03-01T12:00:00Z'] }],
    [
      'params',
      { template: 'load ${table} of ${system.biz.date}', at: '2026-03-01', params: { table: 'orders' } },
      { value: 'load orders of 20260228' },
    ],
    [
      'shards',
      { items: 10, servers: ['a', 'b', 'c'] },
      { servers: { a: [0, 1, 2, 9], b: [3, 4, 5], c: [6, 7, 8] } },
    ],
    [
      'plan',
      { total: 2300, nodes: ['a', 'b', 'c'] },
      { nodes: { a: [1, 766], b: [767, 1532], c: [1533, 2300] } },
    ],
    [
      'dependency',
      { window: 'last1Hour', at: '2019-02-05 08:10:00', tz: 'Asia/Shanghai' },
      { intervals: [['2019-02-05 07:00:00', '2019-02-05 07:59:59']] },
    ],
  ])('of %s answers as the command line does', async (kind, body, expected) => {
    const answer = await api.post(`/preview/${kind}`, body);
    expect([answer.status, answer.body]).toEqual([200, expected]);
  });

  it.each([
    ['cron', { cron: 'x y' }, '2 fields; accepted are 5'],
    ['cron', { cron: '0 12 * * *', tz: 'Mars' }, 'tz: unknown time zone "Mars"'],
    ['cron', { cron: '0 12 * * *', count: -1 }, 'count: '],
    ['cron', {}, 'cron: '],
    ['params', { template: '$[yyyy', at: 'soon' }, 'at: '],
    ['shards', { items: 3, servers: ['a'], strategy: 'best' }, 'unknown strategy "best"'],
    ['shards', { items: 3, servers: [] }, 'servers: '],
    ['shards', { items: 1, servers: ['a'], weights: { b: 2 } }, 'a weight is given for "b"'],
    ['plan', { total: -3, nodes: ['a'] }, 'total: '],
    ['dependency', { window: 'sometime' }, 'sometime'],
    ['dependency', { window: 'today', when: 1 }, 'when: unknown'],
  ])('of %s refuses %j', async (kind, body, detail) => {
    const answer = await api.post(`/preview/${kind}`, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContain(detail);
  });
});
