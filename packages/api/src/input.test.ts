import { afterEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from './testing.ts';

let api: TestApi;
afterEach(async () => {
  await api.app.close();
  await api.store.close();
});

describe('a request', () => {
  it('that takes too long is given up, and said to be worth another try', async () => {
    api = await testApi();
    const never = new Proxy(api.store, {
      get: (store, name) => (name === 'listNodes' ? () => new Promise(() => {}) : Reflect.get(store, name)),
    });
    const slow = await testApi({ store: never, answerWithin: 20 });
    const { status, body, headers } = await slow.get('/nodes');
    expect([status, body.type, headers['retry-after']]).toEqual([503, 'urn:orrery:problem:busy', '1']);
    expect(slow.defects).toEqual([]);
    await slow.app.close();
  });

  it.each([
    ['a NUL in a query', '/workflows?q=a%00b', 400, 'q: contains the character NUL, which is not accepted'],
    [
      'a NUL in a path',
      '/workflows/default/a%00b',
      400,
      'name: contains the character NUL, which is not accepted',
    ],
  ])('with %s is refused', async (_, path, status, detail) => {
    api = await testApi();
    const answer = await api.get(path);
    expect([answer.status, answer.body.detail]).toEqual([status, detail]);
  });

  it.each([
    [{}, 'workflow: is missing'],
    [{ workflow: '' }, 'workflow: must not be empty'],
    [{ workflow: 7 }, 'workflow: must be a text'],
    [{ workflow: 'x'.repeat(301) }, 'workflow: must have at most 300 characters'],
    [{ workflow: 'x', priority: 'odd' }, 'priority: must be one of highest, high, medium, low, lowest'],
    [{ workflow: 'x', params: [] }, 'params: must be an object'],
    [{ workflow: 'x', dryRun: 'no' }, 'dryRun: must be true or false'],
    [{ workflow: 'x', tags: 'a' }, 'tags: must be a list'],
  ])('that says %j is told what is accepted', async (given, detail) => {
    api = await testApi();
    const { status, body } = await api.post('/runs', given);
    expect([status, body.detail]).toEqual([422, detail]);
  });

  it.each([
    ['/runs/0', 'id: must be a whole number from 1'],
    ['/runs?kind=odd', 'kind: must be one of normal, backfill'],
    ['/runs?trigger=api,hand', /^trigger: "hand": must be one of manual, api, tick, /],
    ['/why/0', 'id: must be a whole number from 1'],
    ['/why/x', 'id: is neither a run nor a task run; write 12 or 12.extract'],
  ])('for %s is told what is accepted', async (path, detail) => {
    api = await testApi();
    const { status, body } = await api.get(path);
    expect(status).toBe(400);
    expect(body.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  });

  it('with a value that may have several forms is told all that it could be', async () => {
    api = await testApi();
    await api.publish('name: w\ntasks: [{name: a, type: shell}]\nschedules: [{name: s, every: 1h}]');
    const [{ id }] = (await api.get('/schedules')).body.schedules;
    const { body } = await api.put(`/schedules/${id}`, { misfire: 'odd' });
    expect(body.detail).toBe('misfire: must be one of fire-once, fire-all, skip, or must be an object');
  });

  it('with very many mistakes is answered with the first of them, and how many there are', async () => {
    api = await testApi();
    const scope = { kind: 'from', tasks: Array.from({ length: 5_000 }, (_, k) => k) };
    const { status, body } = await api.post('/runs', { workflow: 'x', scope });
    expect([status, body.problems.length]).toEqual([422, 100]);
    expect(body.detail).toMatch(/; and 4900 more$/);
    const many = await api.publish(`name: w\ntasks:\n${'- 1\n'.repeat(3_000)}`);
    expect([many.status, many.body.problems.length, many.body.detail]).toEqual([
      422,
      1_000,
      'the workflow file has 3000 problems, of which the first 1000 are told; nothing was changed',
    ]);
  });

  it('that nests without end, or has a NUL anywhere, is refused', async () => {
    api = await testApi();
    const deep = '{"a":'.repeat(200) + '1'.padEnd(201, '}');
    const headers = { 'content-type': 'application/json' };
    const answer = await api.post('/runs', deep, headers);
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      'a.a.a.a.a: is nested deeper than the 100 levels accepted',
    ]);
    const nul = await api.post('/runs', { workflow: 'x', params: { 'a\0': '1' } });
    expect([nul.status, nul.body.detail]).toEqual([
      422,
      'params: contains the character NUL, which is not accepted',
    ]);
  });
});
