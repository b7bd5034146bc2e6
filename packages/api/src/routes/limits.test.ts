import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, describe, expect, it } from 'vitest';
import { testApi } from '../testing.ts';

describe.each(testDatabases())('on $name', ({ open, close }) => {
  afterAll(close);

  it('caps on open runs are kept by claims, and who waits is let in by a larger one', async () => {
    const api = await testApi({ store: await open() });
    const start = async (workflow: string) => (await api.post('/runs', { workflow })).body.id as number;
    expect((await api.get('/limits')).body).toEqual({
      revision: 0,
      all: { runs: null, held: 0, waiting: 0 },
      tenants: [],
    });
    const caps = { runs: 5, tenants: { sales: { runs: 1, weight: 2 } } };
    expect((await api.put('/limits', caps, { 'if-match': '"0"' })).status).toBe(200);
    await api.publish('name: w\ntenant: sales\ntasks: [{name: a, type: shell}]');
    await api.publish('name: other\ntasks: [{name: a, type: shell}]');
    const [first, second, third] = [await start('w'), await start('w'), await start('other')];
    await api.hand.claim();
    expect((await api.get('/limits')).body).toMatchObject({
      revision: 1,
      all: { runs: 5, held: 2, waiting: 0 },
      tenants: [{ name: 'sales', weight: 2, runs: 1, held: 1, waiting: 1 }],
    });
    expect((await api.get(`/why/${second}`)).body).toMatchObject({
      state: 'waiting',
      why: `waits for a slot of tenant sales: 1 of 1 taken by ${first}, 0 before it`,
    });
    expect((await api.get(`/runs/${third}`)).body.state).toBe('running');
    const stale = await api.put('/limits', {}, { 'if-match': '"0"' });
    expect(stale).toMatchObject({ status: 412, body: { current: { revision: 1 } } });
    const more = await api.put('/limits', { runs: 5, tenants: { sales: { runs: 2 } } });
    expect(more.body.tenants).toMatchObject([{ held: 2, waiting: 0, weight: 1 }]);
    expect((await api.put('/limits', {})).body).toMatchObject({ all: { runs: null, held: 0 }, tenants: [] });
    expect((await api.get('/audit')).body.entries[0]).toMatchObject({ action: 'limits.set' });
    expect(api.defects).toEqual([]);
    await api.app.close();
  });
});
