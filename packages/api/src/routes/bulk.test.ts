import { afterEach, beforeEach, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
  await api.publish(
    'name: w\ntasks: [{name: a, type: shell}]\n---\nname: other\ntasks: [{name: a, type: shell}]',
  );
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const bulk = (body: object) => api.post('/runs/bulk', body);

async function queue(count: number, workflow = 'w'): Promise<number[]> {
  await api.post('/runs', { workflow });
  const [{ command, run }] = await api.store.listCommands({ limit: 1 });
  const commands = Array.from({ length: count - 1 }, () => command);
  return [run, ...(await api.store.submitCommands({ commands, now: api.now }))];
}

it('asks for the same change of runs by their ids, and says of each refused one why', async () => {
  const [a, b, c] = await queue(3);
  await api.hand.claim();
  await api.hand.change(a, { state: 'running' });
  await api.hand.change(b, { state: 'success', endedAt: START });
  const [d] = await queue(1);
  api.hinted.length = 0;
  const body = { action: 'stop', ids: [a, b, c, d, 4711, a], reason: 'enough' };
  const dry = (await bulk({ ...body, dryRun: true })).body;
  expect(dry).toEqual({
    action: 'stop',
    dryRun: true,
    done: [a, c, d],
    refused: [
      { id: 4711, reason: 'there is no run 4711' },
      { id: b, reason: 'the run has ended' },
    ],
    next: null,
  });
  expect(api.hinted).toEqual([]);
  expect((await bulk(body)).body).toEqual({ ...dry, dryRun: false });
  expect(api.hinted).toEqual([['inbox', a, c]]);
  expect((await api.get(`/runs/${d}`)).body).toMatchObject({
    state: 'stopped',
    reason: 'stopped by admin: enough',
  });
  expect((await api.get(`/runs/${a}`)).body.requested).toMatchObject([{ name: 'stop', by: 'admin' }]);
});

it('goes through ten thousand runs by a filter, a thousand at a time, each once', async () => {
  const ids = await queue(10_000);
  const others = await queue(3, 'other');
  let claimed = 0;
  while (claimed < 10_003) claimed += (await api.hand.claim()).length;
  const ended = ids.filter((_, k) => k % 1_000 === 0);
  for (const run of ended) await api.hand.change(run, { state: 'success', endedAt: START });
  const done: number[] = [];
  const refused: { id: number; reason: string }[] = [];
  let after: number | null = null;
  let requests = 0;
  do {
    const answer = await bulk({
      action: 'stop',
      filter: { workflow: 'w' },
      ...(after !== null && { after }),
    });
    expect(answer.status).toBe(200);
    expect(answer.body.done.length + answer.body.refused.length).toBeLessThanOrEqual(1_000);
    done.push(...answer.body.done);
    refused.push(...answer.body.refused);
    after = answer.body.next;
    requests++;
  } while (after !== null);
  expect(requests).toBeLessThanOrEqual(11);
  expect(refused.map(({ id }) => id).sort((x, y) => x - y)).toEqual(ended);
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['the run has ended']));
  expect(done.sort((x, y) => x - y)).toEqual(ids.filter((id) => !ended.includes(id)));
  const [told] = await api.store.loadRuns({ runs: [done[0]] });
  expect(told.inbox).toMatchObject([
    { message: { type: 'control', control: { type: 'stop' }, by: 'admin' } },
  ]);
  expect((await api.store.loadRuns({ runs: others })).every(({ inbox }) => inbox.length === 0)).toBe(true);
});

it.each([
  [{ action: 'stop' }, /give either ids or a filter/],
  [{ action: 'stop', ids: [1], filter: {} }, /give either ids or a filter/],
  [{ action: 'explode', ids: [1] }, /^action: /],
  [{ action: 'stop', ids: [] }, /^ids: /],
  [{ action: 'stop', filter: { stat: ['failed'] } }, /stat: unknown|filter.stat/],
])('refuses %j', async (body, detail) => {
  const answer = await bulk(body);
  expect(answer.status).toBe(422);
  expect(answer.body.detail).toMatch(detail);
});

it('of a caller with one project meets no run of another', async () => {
  await api.publish('project: etl\nname: mine\ntasks: [{name: a, type: shell}]');
  const [theirs] = await queue(1);
  const [mine] = await queue(1, 'etl/mine');
  const { token } = (await api.post('/tokens', { name: 'ops', role: 'operator', project: 'etl' })).body;
  // The same store behind a server that asks for tokens.
  const guarded = await testApi({ store: api.store, token: 'the-server-token' });
  const ask = (body: object) => guarded.post('/runs/bulk', body, { authorization: `Bearer ${token}` });
  expect((await ask({ action: 'stop', filter: {}, dryRun: true })).body).toMatchObject({
    done: [mine],
    refused: [],
  });
  expect((await ask({ action: 'stop', ids: [mine, theirs], dryRun: true })).body).toMatchObject({
    done: [mine],
    refused: [{ id: theirs, reason: `there is no run ${theirs}` }],
  });
  for (const filter of [{ project: 'default' }, { workflow: 'w' }])
    expect((await ask({ action: 'stop', filter, dryRun: true })).status).toBe(403);
  await guarded.app.close();
});
