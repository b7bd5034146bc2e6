import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.publish(
    'project: etl\nname: daily\nparams: {day: {type: date, required: true}}\ntasks: [{name: load, type: shell}]',
  );
  await api.publish('name: plain\ntasks: [{name: only, type: shell}]');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

describe('starting many runs', () => {
  const startAll = (runs: object[], headers?: Record<string, string>) =>
    api.post('/runs/batch', { runs }, headers);

  it('answers each by itself: refused ones leave the others alone', async () => {
    const { status, body } = await startAll([
      { workflow: 'plain', key: 'one' },
      { workflow: 'nosuch' },
      { workflow: 'etl/daily', params: { day: 'soon' } },
      { workflow: 'plain', scope: { kind: 'only', tasks: ['only'] } },
      { workflow: 'plain', key: 'one' },
    ]);
    expect(status).toBe(202);
    const id = expect.any(Number);
    expect(body.results).toEqual([
      { id, state: 'queued', repeated: false, counts: true },
      { problem: expect.objectContaining({ status: 422, detail: 'there is no workflow default/nosuch' }) },
      { problem: expect.objectContaining({ detail: expect.stringContaining('"soon" is not of type date') }) },
      { id, state: 'queued', repeated: false, counts: false },
      { id: body.results[0].id, state: 'queued', repeated: true, counts: true },
    ]);
    expect((await api.get('/runs')).body.runs).toHaveLength(2);
  });

  it('starts nothing where the list has another shape, or is empty or too long', async () => {
    for (const runs of [[{ workflow: 'plain' }, { workflow: 'plain', priority: 'urgent' }], []])
      expect((await startAll(runs)).status).toBe(422);
    expect((await startAll(Array(1_001).fill({ workflow: 'plain' }))).status).toBe(422);
    expect((await api.get('/runs')).body.runs).toEqual([]);
  });

  it('keeps a token to its project, for every start of the list', async () => {
    const closed = await testApi({ store: api.store, token: 'the-token-of-the-server-under-test' });
    closed.headers.authorization = 'Bearer the-token-of-the-server-under-test';
    const made = await closed.post('/tokens', { name: 'etl-only', role: 'operator', project: 'etl' });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const startIn = (runs: object[]) => closed.post('/runs/batch', { runs }, headers);
    const own = { workflow: 'etl/daily', params: { day: '2026-02-28' } };
    expect((await startIn([own, { workflow: 'plain' }])).status).toBe(403);
    expect((await api.get('/runs')).body.runs).toEqual([]);
    expect((await startIn([own])).body.results).toMatchObject([{ state: 'queued' }]);
    await closed.app.close();
  });
});
