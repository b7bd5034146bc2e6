import { openSqlite } from '@orrery/store';
import { expect, it } from 'vitest';
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
