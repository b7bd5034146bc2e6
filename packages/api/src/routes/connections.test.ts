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
const connection = { kind: 'sqlite', settings: { file: '/data/a.db' } };

describe('a connection', () => {
  it('is set against the revision that was seen, and audited without its settings', async () => {
    const made = await api.put('/connections/sales/db', connection, seen(0));
    expect(made).toMatchObject({ status: 200, headers: { etag: '"1"' }, body: connection });
    const stale = await api.put('/connections/sales/db', connection, seen(0));
    expect(stale).toMatchObject({ status: 412, body: { current: { ...connection, revision: 1 } } });
    expect((await api.get('/connections?project=sales')).body.connections).toHaveLength(1);
    expect((await api.get('/connections?project=other')).body.connections).toEqual([]);
    expect((await api.get('/audit')).body.entries).toMatchObject([
      {
        action: 'connection.set',
        subject: 'sales/db',
        detail: { before: null, after: 'sqlite', changed: 'file' },
      },
    ]);
  });

  it('that its kind refuses, or that is not there, is told', async () => {
    const bad = await api.put('/connections/sales/db', { ...connection, kind: 'x' });
    expect(bad).toMatchObject({ status: 422, body: { detail: 'no such kind' } });
    expect((await api.get('/connections/sales/none')).status).toBe(404);
    expect((await api.del('/connections/sales/none')).status).toBe(404);
    expect((await api.post('/connections/sales/none/test', {})).status).toBe(404);
  });

  it('is tested by a run of its project that counts for nothing', async () => {
    await api.put('/connections/sales/db', connection);
    const { status, body } = await api.post('/connections/sales/db/test', { workerGroup: 'gpu' });
    expect(status).toBe(202);
    const again = await api.post('/connections/sales/db/test', { workerGroup: 'gpu' });
    expect(again.body.run).toBeGreaterThan(body.run);
    const { body: run } = await api.get(`/runs/${body.run}`);
    expect(run).toMatchObject({
      project: 'sales',
      params: { connection: 'db' },
    });
    const { versions } = (await api.get('/workflows/sales/connection-test/versions')).body;
    expect(versions).toHaveLength(1);
  });

  it('stays as long as a live workflow names it', async () => {
    await api.put('/connections/default/db', connection);
    await api.publish('name: w\ntasks: [{name: a, type: shell, with: {connection: db}}]');
    expect((await api.del('/connections/default/db')).body.detail).toContain('is used by default/w');
    await api.del('/workflows/default/w');
    expect((await api.del('/connections/default/db')).status).toBe(204);
  });
});
