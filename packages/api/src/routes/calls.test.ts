/** Workflows reach those of other projects only where these say so. */
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const token = 'the-token-of-the-server-under-test';
let api: TestApi;

const yaml = { 'content-type': 'application/yaml' };
const publish = (file: string) => api.post('/workflows', file, yaml);
const target = (more = '') => `{project: b, name: x, ${more} tasks: [{name: t, type: shell}]}`;
const callers: Record<string, string> = {
  'sub-workflow': `tasks: [{name: t, type: sub-workflow, with: {workflow: b/x}}]`,
  dynamic: `tasks: [{name: t, type: dynamic, with: {workflow: b/x, over: {n: [1]}}}]`,
  dependent: `tasks: [{name: t, type: dependent, with: {all: [{workflow: b/x, window: today}]}}]`,
  trigger: `triggers: [{name: after, after: b/x}], tasks: [{name: t, type: shell}]`,
};

describe.each(testDatabases())('a reference to another project, on $name', ({ open, close }) => {
  beforeEach(async () => {
    api = await testApi({ store: await open(), token });
    api.headers.authorization = `Bearer ${token}`;
    expect((await publish(target())).status).toBe(200);
  });
  afterEach(() => api.app.close());
  afterAll(close);

  it.each(Object.entries(callers))('as %s is refused until the target allows it', async (_, body) => {
    const made = await api.post('/tokens', { name: 'a', role: 'editor', project: 'a' });
    api.headers.authorization = `Bearer ${made.body.token}`;
    const caller = `{project: a, name: caller, ${body}}`;
    const refused = await publish(caller);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('callableFrom')]);
    // What does not exist is refused in the same words.
    const missing = await publish(caller.replaceAll('b/x', 'b/nothing'));
    expect(missing.body.detail).toBe(refused.body.detail.replace('b/x', 'b/nothing'));
    api.headers.authorization = `Bearer ${token}`;
    expect((await publish(caller)).status).toBe(422);
    expect((await publish(target('callableFrom: [a],'))).status).toBe(200);
    expect((await publish(caller)).status).toBe(200);
    expect((await api.get('/refused-calls')).body).toEqual({ calls: [], uses: [] });
  });

  it.each(Object.entries(callers))('as %s starts no test run and passes no dry run', async (_, body) => {
    const text = `{project: a, name: caller, ${body}}`;
    const refusals = async () => {
      const dry = await api.post('/workflows?dryRun=true', text, yaml);
      const test = await api.post('/workflows/a/caller/draft/run', {});
      const draft = await api.post('/workflows/a/caller/draft/publish', {});
      return [dry, test, draft].map(({ status, body: { detail } }) => [status, detail]);
    };
    expect((await api.put('/workflows/a/caller/draft', { text })).status).toBe(200);
    const refused = [422, expect.stringContaining('callableFrom')];
    expect(await refusals()).toEqual([refused, refused, refused]);
    expect((await publish(target('callableFrom: [a],'))).status).toBe(200);
    expect((await refusals()).map(([status]) => status)).toEqual([200, 202, 200]);
  });

  it('is allowed by the project, and listed when that ends', async () => {
    const caller = `{project: a, name: caller, ${callers['sub-workflow']}}`;
    const set = (callableFrom: string[]) => api.put('/projects/b', { params: {}, callableFrom });
    expect((await set(['*'])).body).toMatchObject({ callableFrom: ['*'] });
    expect((await publish(caller)).status).toBe(200);
    expect(await api.store.isCallable({ from: 'a', project: 'b', name: 'x' })).toBe(true);
    await set([]);
    expect(await api.store.isCallable({ from: 'a', project: 'b', name: 'x' })).toBe(false);
    expect((await api.get('/refused-calls')).body).toEqual({
      calls: [{ from: { project: 'a', name: 'caller' }, project: 'b', name: 'x', as: 'sub-workflow' }],
      uses: [],
    });
  });

  it('tells a caller of the target alone nothing of who refers to it', async () => {
    await publish(target('callableFrom: ["*"],'));
    await publish(`{project: a, name: hidden, ${callers['sub-workflow']}}`);
    await publish(`{project: b, name: shown, ${callers['sub-workflow']}}`);
    const use = (project: string, name: string) => ({ project, name, as: 'sub-workflow' });
    const usedBy = async () => (await api.get('/workflows/b/x')).body.usedBy;
    expect(await usedBy()).toEqual([use('a', 'hidden'), use('b', 'shown')]);
    const made = await api.post('/tokens', { name: 'b', role: 'admin', project: 'b' });
    api.headers.authorization = `Bearer ${made.body.token}`;
    expect(await usedBy()).toEqual([use('b', 'shown')]);
    const refused = await api.del('/workflows/b/x');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'b/x is used by another project, b/shown (sub-workflow); change those first',
    ]);
  });

  it('is refused when an earlier version is restored, and when the workflow is renamed', async () => {
    await publish(target('callableFrom: [a],'));
    const caller = `{project: a, name: caller, ${callers['sub-workflow']}}`;
    await publish(caller);
    await publish('{project: a, name: caller, tasks: [{name: t, type: shell}]}');
    await publish(target());
    const restored = await api.post('/workflows/a/caller/versions/1/restore', {});
    expect([restored.status, restored.body.detail]).toEqual([422, expect.stringContaining('callableFrom')]);
    await publish(`{project: b, name: own, ${callers['sub-workflow']}}`);
    const renamed = await api.post('/workflows/b/own/rename', { project: 'c' });
    expect([renamed.status, renamed.body.detail]).toEqual([422, expect.stringContaining('callableFrom')]);
  });
});
