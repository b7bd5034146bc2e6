/** Worker groups and environments that are kept to projects: who sees them, and who may name them. */
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const token = 'the-token-of-the-server-under-test';
const yaml = { 'content-type': 'application/yaml' };

describe.each(testDatabases())('worker groups and environments of projects, on $name', ({ open, close }) => {
  let api: TestApi;
  const publish = (file: string) => api.post('/workflows', file, yaml);
  const file = (project: string, more: string) =>
    `{project: ${project}, name: w, tasks: [{name: t, type: shell, ${more}}]}`;
  const asServer = () => {
    api.headers.authorization = `Bearer ${token}`;
  };
  const as = async (role: string, project?: string) => {
    asServer();
    const made = await api.post('/tokens', { name: `${role} of ${project}`, role, project });
    api.headers.authorization = `Bearer ${made.body.token}`;
  };

  beforeEach(async () => {
    api = await testApi({ store: await open(), token });
    asServer();
    expect((await api.put('/worker-groups/gpu', { projects: ['a', 'b', 'a'] })).status).toBe(200);
    const environment = { variables: { HOST: 'db' }, projects: ['a', 'b'] };
    expect((await api.put('/environments/prod', environment)).status).toBe(200);
  });
  afterEach(() => api.app.close());
  afterAll(close);

  it.each(['workerGroup: gpu', 'environment: prod'])('refuses %s outside its projects', async (more) => {
    expect((await publish(file('a', more))).status).toBe(200);
    const refused = await publish(file('c', more));
    expect([refused.status, refused.body.problems]).toMatchObject([422, [{ code: 'wrong-project' }]]);
    await publish(file('c', 'disabled: true'));
    const renamed = await api.post('/workflows/a/w/rename', { project: 'd' });
    expect([renamed.status, JSON.stringify(renamed.body)]).toEqual([
      422,
      expect.stringContaining('is not open to project d'),
    ]);
    await publish(file('a', 'disabled: true'));
    await api.put('/worker-groups/gpu', { projects: ['b'] });
    await api.put('/environments/prod', { variables: {}, projects: ['b'] });
    const restored = await api.post('/workflows/a/w/versions/1/restore', {});
    expect([restored.status, JSON.stringify(restored.body)]).toEqual([
      422,
      expect.stringContaining('is not open to project a'),
    ]);
    await api.put('/worker-groups/gpu', { projects: [] });
    await api.put('/environments/prod', { variables: {} });
    expect((await publish(file('c', more))).status).toBe(200);
  });

  it('lists what live workflows may not use any more', async () => {
    await api.put('/worker-groups/gpu', { projects: [] });
    await api.put('/environments/prod', { variables: {} });
    await publish(file('c', 'workerGroup: gpu, environment: prod'));
    await publish(file('a', 'workerGroup: gpu'));
    expect((await api.get('/refused-calls')).body).toEqual({ calls: [], uses: [] });
    await api.put('/worker-groups/gpu', { projects: ['a'] });
    await api.put('/environments/prod', { variables: {}, projects: ['a'] });
    const from = { project: 'c', name: 'w' };
    expect((await api.get('/refused-calls')).body.uses).toEqual([
      { from, kind: 'worker-group', name: 'gpu' },
      { from, kind: 'environment', name: 'prod' },
    ]);
    await as('admin', 'c');
    expect((await api.get('/refused-calls')).status).toBe(403);
  });

  it('refuses them in a draft and in a test of a connection', async () => {
    await publish(file('c', 'disabled: true'));
    await as('editor', 'c');
    await api.put('/workflows/c/w/draft', { text: file('c', 'workerGroup: gpu') }, { 'if-match': '"0"' });
    expect((await api.post('/workflows/c/w/draft/publish', {})).status).toBe(422);
    const settings = { file: ':memory:' };
    await api.put('/connections/c/db', { kind: 'sqlite', settings });
    const tested = await api.post('/connections/c/db/test', { workerGroup: 'gpu' });
    expect([tested.status, JSON.stringify(tested.body)]).toEqual([
      422,
      expect.stringContaining('is not open to project c'),
    ]);
  });

  it('tells a caller of one project nothing of others', async () => {
    await as('viewer', 'a');
    expect((await api.get('/worker-groups')).body.workerGroups).toMatchObject([
      { name: 'gpu', projects: ['a'] },
    ]);
    expect((await api.get('/environments')).body.environments).toMatchObject([
      { name: 'prod', projects: ['a'] },
    ]);
    await as('admin', 'c');
    expect((await api.get('/worker-groups')).body.workerGroups).toEqual([]);
    expect((await api.get('/environments')).body.environments).toEqual([]);
    const hidden = await api.get('/environments/prod');
    const missing = await api.get('/environments/none');
    expect([hidden.status, hidden.body.detail]).toEqual([404, missing.body.detail.replace('none', 'prod')]);
    const named = await publish(file('c', 'environment: prod'));
    expect(named.body.problems).toMatchObject([{ code: 'unknown-environment' }]);
    expect(JSON.stringify([named.body, hidden.body])).not.toMatch(/"a"|"b"|HOST/);
    expect((await api.put('/worker-groups/gpu', { projects: [] })).status).toBe(403);
    expect((await api.put('/environments/prod', { variables: {} })).status).toBe(403);
  });

  it('are changed against the revision that was seen, by admins, and audited', async () => {
    const seen = (revision: number) => ({ 'if-match': `"${revision}"` });
    expect(await api.put('/worker-groups/gpu', { projects: ['c'] }, seen(0))).toMatchObject({
      status: 412,
      body: { current: { projects: ['a', 'b'], revision: 1 } },
    });
    expect(await api.put('/worker-groups/gpu', { projects: ['c'] }, seen(1))).toMatchObject({
      status: 200,
      headers: { etag: '"2"' },
    });
    expect((await api.get('/audit')).body.entries[0]).toMatchObject({
      action: 'worker-group.set',
      subject: 'gpu',
      detail: { before: 'a, b', after: 'c' },
    });
    expect((await api.put('/worker-groups/gpu', { projects: ['../x'] })).status).toBe(422);
    await as('editor');
    expect((await api.put('/worker-groups/gpu', { projects: [] })).status).toBe(403);
  });

  it('say how they choose; others may not, and nothing else is accepted', async () => {
    const choice = '/worker-groups/gpu/choice';
    expect(await api.put(choice, { choose: 'weighted', weights: { w1: 3 } })).toMatchObject({
      status: 200,
      body: { name: 'gpu', choose: 'weighted', weights: { w1: 3 }, projects: ['a', 'b'], revision: 2 },
    });
    expect((await api.get('/worker-groups')).body.workerGroups).toMatchObject([{ choose: 'weighted' }]);
    expect((await api.get('/audit')).body.entries[0]).toMatchObject({
      action: 'worker-group.choose',
      detail: { before: 'queue {}', after: 'weighted {"w1":3}' },
    });
    for (const body of [
      { choose: 'fastest' },
      { choose: 'weighted', weights: { w1: 0 } },
      { choose: 'weighted', weights: { w1: -1 } },
      { choose: 'weighted', weights: { w1: 1e9 } },
      { choose: 'sticky', weights: { w1: 2 } },
      { choose: 'queue', more: 1 },
    ])
      expect([body, (await api.put(choice, body)).status]).toEqual([body, 422]);
    expect((await api.put('/worker-groups/a%20b/choice', { choose: 'queue' })).status).toBe(400);
    for (const [role, project] of [['editor'], ['admin', 'a']]) {
      await as(role, project);
      expect((await api.put(choice, { choose: 'queue' })).status).toBe(403);
    }
  });
});
