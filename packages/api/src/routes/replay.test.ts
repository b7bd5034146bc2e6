import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const file = (params: string) => `
project: etl
name: daily
timezone: Asia/Shanghai
params: ${params}
tasks:
  - {name: extract, type: shell}
  - {name: load, type: shell, needs: extract}
`;

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.publish(file('{day: monday, size: 3, old: x}'));
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const replay = (id: number, body: object = {}, headers?: Record<string, string>) =>
  api.post(`/runs/${id}/replay`, body, headers);
const show = async (id: number) => (await api.get(`/runs/${id}`)).body;

async function started(): Promise<number> {
  const body = {
    workflow: 'etl/daily',
    params: { day: 'tuesday', old: 'y' },
    businessTime: '2026-02-28 06:00:00',
    scope: { kind: 'from', tasks: ['load'] },
    priority: 'low',
  };
  return (await api.post('/runs', body)).body.id;
}

it('walks another part of the graph where asked', async () => {
  const id = await started();
  const { body } = await replay(id, {
    scope: { kind: 'only', tasks: ['extract'] },
    params: { day: 'friday' },
  });
  expect(await show(body.id)).toMatchObject({
    scope: { kind: 'only', tasks: ['extract'] },
    params: { day: 'friday' },
    replayOf: id,
  });
  expect((await replay(id, { scope: { kind: 'from', tasks: [] } })).status).toBe(422);
  const unknown = await replay(id, { scope: { kind: 'from', tasks: ['gone'] } });
  expect([unknown.status, unknown.body.detail]).toEqual([422, expect.stringContaining('gone')]);
});

it('repeats what a run was started with, changed where asked, and each names the other', async () => {
  const id = await started();
  await api.hand.claim();
  const { status, body, headers } = await replay(id, { params: { size: 7 }, trigger: 'manual' });
  expect([status, body]).toEqual([
    202,
    { id: expect.any(Number), state: 'queued', repeated: false, counts: false, leftOut: [] },
  ]);
  expect(headers.location).toBe(`/api/v1/runs/${body.id}`);
  const expected = {
    version: 1,
    params: { day: 'tuesday', old: 'y', size: '7' },
    businessTime: '2026-02-27T22:00:00.000Z',
    scope: { kind: 'from', tasks: ['load'] },
    priority: 'low',
    trigger: 'manual',
    replayOf: id,
    replays: [],
  };
  expect(await show(body.id)).toMatchObject({ state: 'queued', ...expected });
  expect(await show(id)).toMatchObject({ replayOf: null, replays: [{ id: body.id, state: 'queued' }] });
  await api.hand.claim();
  expect(await show(body.id)).toMatchObject(expected);
  expect((await show(id)).replays).toEqual([{ id: body.id, state: 'running' }]);
});

it('takes the latest version where asked, without parameters that it does not declare', async () => {
  const id = await started();
  await api.publish(file('{day: monday, more: z}'));
  expect(await show((await replay(id)).body.id)).toMatchObject({ version: 1, params: { old: 'y' } });
  const { body } = await replay(id, { version: 'latest', params: { more: 'w' } });
  expect(body.leftOut).toEqual(['old']);
  expect(await show(body.id)).toMatchObject({ version: 2, params: { day: 'tuesday', more: 'w' } });
  const { status, body: problem } = await replay(id, { version: 'latest', params: { old: 'q' } });
  expect([status, problem.detail]).toEqual([422, 'parameter "old": unknown; declared are day, more']);
});

it('starts one run a key', async () => {
  const [id, other] = [await started(), await started()];
  const headers = { 'idempotency-key': 'once' };
  const { body } = await replay(id, {}, headers);
  expect((await replay(id, {}, headers)).body).toMatchObject({ id: body.id, repeated: true });
  expect((await replay(other, {}, headers)).status).toBe(409);
});

it('stays with a workflow that has been given another name', async () => {
  const id = await started();
  await api.post('/workflows/etl/daily/rename', { name: 'nightly' });
  const { body } = await replay(id);
  expect(await show(body.id)).toMatchObject({ project: 'etl', name: 'nightly', version: 1 });
});

it('is refused for a backfill, with what to do instead', async () => {
  const backfill = { workflow: 'etl/daily', times: ['2026-01-01'] };
  const { id } = (await api.post('/backfills', backfill)).body;
  const action = (await show(id)).actions.find(({ name }: { name: string }) => name === 'replay');
  expect(action).toMatchObject({ allowed: false, reason: expect.stringContaining('it is a backfill') });
  const { status, body } = await replay(id);
  expect([status, body.detail]).toEqual([409, `run ${id} cannot be replayed: ${action.reason}`]);
  expect((await replay(999)).status).toBe(404);
});
