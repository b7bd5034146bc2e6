import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

const serverToken = 'the-token-of-the-server-under-test';

let api: TestApi;
let [nightly, plain]: number[] = [];
beforeEach(async () => {
  api = await testApi({ token: serverToken });
  api.headers.authorization = `Bearer ${serverToken}`;
  await api.publish(
    'name: nightly\nproject: etl\ntags: [eu]\nparams: {day: "1"}\ntasks: [{name: a, type: shell}]',
  );
  await api.publish('name: plain\ntasks: [{name: a, type: shell}]');
  const start = async (body: object) => (await api.post('/runs', body)).body.id as number;
  nightly = await start({ workflow: 'etl/nightly', params: { day: '0814' }, tags: ['slow', 'eu'] });
  plain = await start({ workflow: 'plain' });
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
});

const list = async (query: string) => {
  const { status, body } = await api.get(`/runs?${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.runs.map(({ id }: { id: number }) => id);
};
const fail = (run: number, error: string) =>
  api.hand.change(run, { state: 'failed', endedAt: api.now + 60_000, error, release: true });

describe('filters of the list of runs', () => {
  it('find runs by what they were started with', async () => {
    for (const claimed of [false, true]) {
      if (claimed) await api.hand.claim();
      expect(await list('param=day=0814')).toEqual([nightly]);
      expect(await list('param=day=0815')).toEqual([]);
      expect(await list('tag=slow,eu')).toEqual([nightly]);
      expect(await list('tag=fast')).toEqual([]);
      expect(await list('version=1')).toEqual([plain, nightly]);
      expect(await list('version=2,3')).toEqual([]);
    }
  });

  it('find runs by how they went', async () => {
    await api.hand.claim();
    await fail(nightly, 'Connection refused db-3:5432');
    api.now += 90_000;
    expect(await list('error=refused')).toEqual([nightly]);
    expect(await list('fingerprint=connection refused db-%23:%23')).toEqual([nightly]);
    expect(await list('duration=61s')).toEqual([plain]);
    expect(await list('duration=30s..60s')).toEqual([nightly]);
    expect(await list('duration=..1m')).toEqual([nightly]);
    expect(await list('wait=1ms')).toEqual([]);
    expect(await list('wait=..0')).toEqual([plain, nightly]);
    expect(await list('owner=m1')).toEqual([plain]);
    expect(await list('worker=w1')).toEqual([]);
  });

  it('find the runs of a backfill', async () => {
    const times = ['2026-01-01T00:00:00Z'];
    const { body } = await api.post('/backfills', { workflow: 'etl/nightly', times });
    expect(await list(`backfill=${body.id}`)).toEqual([]);
    expect(await list(`parent=${nightly}`)).toEqual([]);
    const wrong = await api.get(`/runs?backfill=${nightly}`);
    expect([wrong.status, wrong.body.detail]).toEqual([422, `backfill: run ${nightly} is not a backfill`]);
  });

  it.each([
    ['duration=long', /write at least how long/],
    ['duration=10m..5m', /the first is longer than the second/],
    ['wait=1h..1m', /the first is longer than the second/],
    ['wait=1m..x', /write at least how long/],
    ['param=day', /write name=value/],
    ['version=one', /^version: "one": must be a whole number$/],
    ['parent=0', /^parent: must be a whole number from 1$/],
    ['error=', /error/],
  ])('refuse ?%s', async (query, detail) => {
    const { status, body } = await api.get(`/runs?${query}`);
    expect(status).toBe(400);
    expect(body.detail).toMatch(detail);
  });
});

describe('pictures of runs', () => {
  it('are groups by workflow or by error', async () => {
    await api.hand.claim();
    await fail(nightly, 'exit code 2');
    await fail(plain, 'exit code 3');
    const { body } = await api.get('/runs/groups?by=error');
    expect(body).toMatchObject({
      groups: [{ workflow: null, fingerprint: 'exit code #', count: 2, failed: 2, last: { id: plain } }],
      more: false,
      since: null,
    });
    const { groups } = (await api.get('/runs/groups?project=etl')).body;
    const at = new Date(START).toISOString();
    expect(groups).toMatchObject([{ workflow: 'etl/nightly', count: 1, first: { id: nightly, at } }]);
    expect((await api.get('/runs/groups?state=queued')).body.groups).toEqual([]);
  });

  it('are points of how long each took', async () => {
    await api.hand.claim();
    await fail(nightly, 'exit code 2');
    api.now += 5_000;
    const { body } = await api.get('/runs/points?from=-1h');
    expect(body).toMatchObject({
      sampled: 1,
      states: ['failed', 'running'],
      columns: { id: [nightly, plain], at: [3_595_000, 3_595_000], took: [60_000, 5_000], state: [0, 1] },
    });
    expect((await api.get('/runs/points?from=-1h&to=-2h')).status).toBe(400);
  });
});

describe('tags of a run', () => {
  it('are those of its workflow and its own, and can be changed', async () => {
    await api.hand.claim();
    expect((await api.get(`/runs/${nightly}`)).body.tags).toEqual(['eu', 'slow']);
    const { body } = await api.put(`/runs/${nightly}/tags`, { tags: ['b', 'a', 'b'] });
    expect(body).toEqual({ run: nightly, tags: ['a', 'b'] });
    expect(await list('tag=a')).toEqual([nightly]);
    expect((await api.put('/runs/999999/tags', { tags: [] })).status).toBe(404);
    expect((await api.put(`/runs/${nightly}/tags`, { tags: ['a,b'] })).status).toBe(422);
  });
});

describe('views of a project', () => {
  it('are seen by everybody who sees it, and changed by its editors', async () => {
    const token = async (role: string, project: string | null) =>
      (await api.post('/tokens', { name: `the ${role}`, role, project })).body.token as string;
    const [viewer, editor, other] = [
      await token('viewer', 'etl'),
      await token('editor', 'etl'),
      await token('editor', 'default'),
    ];
    const as = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
    const path = '/projects/etl/views/Slow%20ones';
    const body = { query: '?duration=10m', badge: true };
    expect((await api.put(path, body, as(viewer))).status).toBe(403);
    expect((await api.put(path, body, as(other))).status).toBe(403);
    expect((await api.put(path, body, as(editor))).body).toMatchObject({
      project: 'etl',
      name: 'Slow ones',
      query: 'duration=10m',
      badge: true,
      author: 'the editor',
    });
    const seen = async (bearer: string) => {
      Object.assign(api.headers, as(bearer));
      return (await api.get('/views')).body.views;
    };
    expect(await seen(viewer)).toMatchObject([
      { name: 'Slow ones', actions: [{ name: 'delete', allowed: false }] },
    ]);
    expect(await seen(other)).toEqual([]);
    expect(await seen(editor)).toMatchObject([{ actions: [{ name: 'delete', allowed: true }] }]);
    expect((await api.del(path, as(viewer))).status).toBe(403);
    expect((await api.del(path, as(editor))).body).toEqual({ deleted: true });
    expect((await api.del(path, as(editor))).status).toBe(404);
  });
});
