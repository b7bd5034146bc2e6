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

const file = 'name: w\nenvironment: prod\ntasks: [{name: a, type: shell}]';
const seen = (revision: number) => ({ 'if-match': `"${revision}"` });

describe('an environment', () => {
  it('is set against the revision that was seen, and audited by the names of its variables', async () => {
    const variables = { HOST: 'db', TOKEN: '${secret.token}' };
    const made = await api.put('/environments/prod', { variables }, seen(0));
    expect(made).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      body: { variables, workerGroups: [] },
    });
    const stale = await api.put('/environments/prod', { variables: {} }, seen(0));
    expect(stale).toMatchObject({ status: 412, body: { current: { variables, revision: 1 } } });
    expect((await api.get('/environments')).body.environments).toMatchObject([{ name: 'prod', revision: 1 }]);
    expect((await api.get('/audit')).body.entries).toMatchObject([
      { action: 'environment.set', subject: 'prod', detail: { changed: 'HOST, TOKEN' } },
    ]);
  });

  it('must be there before a workflow names it, and stays as long as one does', async () => {
    expect((await api.publish(file)).body.problems).toMatchObject([{ code: 'unknown-environment' }]);
    await api.put('/environments/prod', { variables: {}, workerGroups: ['gpu'] });
    expect((await api.publish(file)).body.problems).toMatchObject([{ code: 'wrong-worker-group' }]);
    await api.put('/environments/prod', { variables: {} });
    expect((await api.publish(file)).status).toBe(200);
    expect((await api.del('/environments/prod')).body.detail).toContain('is used by default/w');
    await api.del('/workflows/default/w');
    expect((await api.del('/environments/prod')).status).toBe(204);
    expect((await api.get('/environments/prod')).status).toBe(404);
  });

  it.each([
    [{ '1X': 'a' }, 'is no variable'],
    [{ ORRERY_RUN: 'a' }, 'only Orrery itself sets'],
    [{ X: '${secret.9}' }, 'is not the name of a secret'],
    [{ X: 'x'.repeat(70_000) }, 'at most 64 KB'],
  ])('with %j is refused', async (variables, detail) => {
    const { status, body } = await api.put('/environments/prod', { variables });
    expect([status, body.detail]).toEqual([422, expect.stringContaining(detail)]);
  });
});
