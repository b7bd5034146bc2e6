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

describe('the parameters of a project', () => {
  it('are set against the revision that was seen, and audited by name alone', async () => {
    expect((await api.get('/projects/sales')).status).toBe(404);
    const set = await api.put('/projects/sales', { params: { bucket: 's3://sales' } }, seen(0));
    expect(set).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      body: { name: 'sales', revision: 1 },
    });
    const stale = await api.put('/projects/sales', { params: {} }, seen(0));
    expect(stale).toMatchObject({ status: 412, body: { current: { params: { bucket: 's3://sales' } } } });
    expect((await api.get('/projects/sales')).body.params).toEqual({ bucket: 's3://sales' });
    const [entry] = (await api.get('/audit')).body.entries;
    expect(entry).toMatchObject({ action: 'project.set', subject: 'sales', detail: { changed: 'bucket' } });
    expect(JSON.stringify(entry)).not.toContain('s3:');
  });

  it.each([
    [{ 'system.x': '1' }, 'is reserved for built-in parameters'],
    [{ '1x': '1' }, 'is not a parameter name'],
    [{ a: '${b}', b: '${a}' }, 'in a circle: '],
    [{ a: '$[nonsense' }, undefined],
    [{ a: '$[yyyyMMdd+x]' }, 'parameter "a"'],
    [{ a: 'x'.repeat(70_000) }, 'at most 64 KB'],
  ])('%j are %s', async (params, refused) => {
    const { status, body } = await api.put('/projects/sales', { params });
    expect(status).toBe(refused === undefined ? 200 : 422);
    if (refused !== undefined) expect(body.detail).toContain(refused);
  });

  it('and those of all projects are names that a workflow may use', async () => {
    const file =
      'project: sales\nname: w\ntasks: [{name: a, type: shell, params: {x: "${bucket}/${region}"}}]';
    expect((await api.publish(file)).body.problems).toMatchObject([
      { message: expect.stringContaining('"bucket"') },
      { message: expect.stringContaining('"region"') },
    ]);
    await api.put('/projects/sales', { params: { bucket: 's3://sales' } });
    await api.put('/parameters', { params: { region: 'eu' } });
    expect((await api.publish(file)).status).toBe(200);
    expect((await api.publish(file.replace('sales', 'other'))).body.problems).toMatchObject([
      { message: expect.stringContaining('"bucket"') },
    ]);
  });
});

describe('the parameters of all projects', () => {
  it('are set against the revision that was seen', async () => {
    expect((await api.get('/parameters')).body).toEqual({ params: {}, revision: 0 });
    expect((await api.put('/parameters', { params: { region: 'eu' } }, seen(0))).body.revision).toBe(1);
    const stale = await api.put('/parameters', { params: {} }, seen(0));
    expect(stale).toMatchObject({
      status: 412,
      body: { current: { params: { region: 'eu' }, revision: 1 } },
    });
    expect((await api.get('/audit')).body.entries).toMatchObject([{ action: 'parameters.set' }]);
  });
});
