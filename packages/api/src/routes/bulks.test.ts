import { afterEach, beforeEach, expect, it } from 'vitest';
import { startApi } from '../listen.ts';
import { StreamClient } from '../live/testing.ts';
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

const bulk = (body: object, headers?: Record<string, string>) => api.post('/bulks', body, headers);

async function queue(count: number, workflow = 'w'): Promise<number[]> {
  await api.post('/runs', { workflow });
  const [{ command, run }] = await api.store.listCommands({ limit: 1 });
  const commands = Array.from({ length: count - 1 }, () => command);
  return [run, ...(await api.store.submitCommands({ commands, now: api.now }))];
}

/** Carries bulks out as a master does. */
async function carryOut(limit = 500): Promise<number> {
  const self = await api.hand.join();
  let steps = 0;
  while ((await api.store.stepBulk({ self, limit, now: api.now })).more) steps++;
  return steps;
}

it('gives tags to runs and takes them away', async () => {
  const ids = await queue(2);
  const made = await bulk({ action: 'tag', tags: ['late'], ids });
  expect(made.body.bulk).toMatchObject({ action: 'tag', tags: ['late'] });
  await carryOut();
  expect((await api.get('/runs?tag=late')).body.runs).toHaveLength(2);
  await bulk({ action: 'untag', tags: ['late'], filter: { tag: ['late'] } });
  await carryOut();
  expect((await api.get('/runs?tag=late')).body.runs).toEqual([]);
  for (const body of [
    { action: 'tag', ids },
    { action: 'tag', tags: [], ids },
    { action: 'untag', tags: ['a,b'], ids },
    { action: 'stop', tags: ['late'], ids },
  ])
    expect((await bulk(body)).status).toBe(422);
  await bulk({ action: 'tag', tags: ['late'], ids }, { 'idempotency-key': 'k' });
  const other = await bulk({ action: 'tag', tags: ['early'], ids }, { 'idempotency-key': 'k' });
  expect(other.status).toBe(409);
});

it('asks for the same change of runs by their ids, and says of each refused one why', async () => {
  const [a, b, c] = await queue(3);
  await api.hand.claim();
  await api.hand.change(a, { state: 'running' });
  await api.hand.change(b, { state: 'success', endedAt: START });
  const [d] = await queue(1);
  api.hinted.length = 0;
  const body = { action: 'stop', ids: [a, b, c, d, 4711, a], reason: 'enough' };
  const dry = await bulk({ ...body, dryRun: true });
  expect([dry.status, dry.body]).toEqual([
    200,
    {
      bulk: null,
      repeated: false,
      would: {
        total: 5,
        more: false,
        allowed: 3,
        refusals: [
          { reason: 'the run has ended', code: 'control.ended', count: 1 },
          { reason: 'run not found', code: 'control.noRun', count: 1 },
        ],
      },
    },
  ]);
  expect(api.hinted).toEqual([]);
  expect((await api.get('/bulks')).body.bulks).toEqual([]);

  const made = await bulk(body);
  const { id } = made.body.bulk;
  expect([made.status, made.headers.location]).toEqual([202, `/api/v1/bulks/${id}`]);
  expect(made.body.bulk).toMatchObject({ state: 'running', total: 5, left: 5, by: 'admin', filter: null });
  expect(api.hinted).toEqual(['bulk']);
  await carryOut();
  expect((await api.get(`/bulks/${id}`)).body).toMatchObject({
    state: 'done',
    told: 3,
    refused: 2,
    left: 0,
    endedAt: '2026-03-01T08:00:00.000Z',
    abortedBy: null,
    actions: [{ name: 'abort', allowed: false, reason: 'it has ended', code: 'bulk.ended' }],
  });
  const told = { outcome: 'told', reason: null, project: 'default', name: 'w' };
  expect((await api.get(`/bulks/${id}/results`)).body).toEqual({
    results: [
      { ...told, run: a, state: 'running' },
      {
        ...told,
        run: b,
        outcome: 'refused',
        reason: 'the run has ended',
        code: 'control.ended',
        state: 'success',
      },
      { ...told, run: c, state: 'running' },
      { ...told, run: d, state: 'stopped' },
      {
        run: 4711,
        outcome: 'refused',
        reason: 'run not found',
        code: 'control.noRun',
        project: null,
        name: null,
        state: null,
      },
    ],
    next: null,
  });
  expect((await api.get(`/runs/${d}`)).body.reason).toBe('stopped by admin: enough');
  expect((await api.get(`/runs/${a}`)).body.requested).toMatchObject([{ name: 'stop', by: 'admin' }]);
});

it('goes through ten thousand runs by a filter, each once, and reports each refusal', async () => {
  const ids = await queue(10_000);
  const others = await queue(3, 'other');
  const self = await api.hand.join();
  await api.store.claimWork({ self, orphans: 0, starts: 20_000, now: api.now });
  const ended = ids.filter((_, k) => k % 1_000 === 0);
  for (const run of ended) await api.hand.change(run, { state: 'success', endedAt: START });
  const body = { action: 'stop', filter: { workflow: 'w' } };
  const refusals = [{ reason: 'the run has ended', code: 'control.ended', count: 10 }];
  expect((await bulk({ ...body, dryRun: true })).body.would).toEqual({
    total: 10_000,
    more: false,
    allowed: 9_990,
    refusals,
  });
  const { id } = (await bulk(body)).body.bulk;
  // 20 steps to write them down, and 20 to tell them; the last finds that none is left.
  expect(await carryOut()).toBeLessThanOrEqual(42);
  expect((await api.get(`/bulks/${id}`)).body).toMatchObject({
    state: 'done',
    project: 'default',
    filter: { workflow: 'w' },
    total: 10_000,
    told: 9_990,
    refused: 10,
    refusals,
  });
  const seen = async (outcome: string) => {
    const runs: number[] = [];
    let path: string | null = `/bulks/${id}/results?outcome=${outcome}&limit=1000`;
    while (path !== null) {
      const { body } = await api.get(path.replace('/api/v1', ''));
      runs.push(...body.results.map(({ run }: { run: number }) => run));
      path = body.next;
    }
    return runs;
  };
  expect(await seen('refused')).toEqual(ended);
  expect(await seen('told')).toEqual(ids.filter((run) => !ended.includes(run)));
  const inboxes = await api.store.loadRuns({ runs: [...ids, ...others] });
  const stop = { message: { type: 'control', control: { type: 'stop' }, by: 'admin' } };
  for (const { request, inbox } of inboxes)
    expect(inbox).toMatchObject(others.includes(request.id) || ended.includes(request.id) ? [] : [stop]);
});

it('says why a run refused afterwards what it was told', async () => {
  const [run] = await queue(1);
  await api.hand.claim();
  await api.hand.change(run, { state: 'running' });
  const { id } = (await bulk({ action: 'pause', ids: [run] })).body.bulk;
  await carryOut();
  const entry = { actor: 'admin', kind: 'run', subject: String(run), action: 'pause-refused' } as const;
  await api.hand.change(run, { history: [{ ...entry, body: { reason: 'the run is being stopped' } }] });
  expect((await api.get(`/bulks/${id}/results`)).body.results).toMatchObject([
    { run, outcome: 'told', reason: 'the run is being stopped' },
  ]);
});

it('is aborted, once: runs it has not come to are left as they are', async () => {
  const runs = await queue(5);
  const { id } = (await bulk({ action: 'stop', ids: runs })).body.bulk;
  const self = await api.hand.join();
  await api.store.stepBulk({ self, limit: 2, now: api.now });
  const aborted = await api.post(`/bulks/${id}/abort`, { reason: 'a mistake' });
  expect([aborted.status, aborted.body]).toMatchObject([
    200,
    { state: 'aborted', told: 2, left: 3, abortedBy: 'admin' },
  ]);
  const again = await api.post(`/bulks/${id}/abort`, {});
  expect([again.status, again.body.detail]).toEqual([
    409,
    'the bulk cannot be aborted: it was aborted already',
  ]);
  expect(await carryOut()).toBe(0);
  const left = (await api.get(`/bulks/${id}/results?outcome=left`)).body.results;
  expect(left.map(({ run, state }: { run: number; state: string }) => [run, state])).toEqual(
    runs.slice(2).map((run) => [run, 'queued']),
  );
});

it('makes no second one for the same key', async () => {
  const [run] = await queue(1);
  const body = { action: 'stop', ids: [run] };
  const first = (await bulk(body, { 'idempotency-key': 'k' })).body;
  const second = (await bulk(body, { 'idempotency-key': 'k' })).body;
  expect(second).toEqual({ ...first, repeated: true });
  const other = await bulk({ ...body, action: 'pause' }, { 'idempotency-key': 'k' });
  expect(other.status).toBe(409);
});

it('lists them newest first, a page at a time, and finds one by its number', async () => {
  const [run] = await queue(1);
  const made = [];
  for (let k = 0; k < 3; k++) made.unshift((await bulk({ action: 'stop', ids: [run] })).body.bulk.id);
  const ids = ({ bulks }: { bulks: { id: number }[] }) => bulks.map(({ id }) => id);
  const first = (await api.get('/bulks?limit=2')).body;
  expect(ids(first)).toEqual(made.slice(0, 2));
  expect(ids((await api.get(first.next.replace('/api/v1', ''))).body)).toEqual(made.slice(2));
  expect((await api.get(`/search?q=${made[0]}`)).body.exact).toMatchObject({
    kind: 'bulk',
    id: String(made[0]),
    state: 'running',
    address: `/runs?bulk=${made[0]}`,
  });
  const { hits } = (await api.get('/search?q=bulk')).body;
  expect(hits.map(({ id }: { id: string }) => Number(id))).toEqual(made);
});

it('tells those who listen how far it is', async () => {
  const [run] = await queue(1);
  const { id } = (await bulk({ action: 'stop', ids: [run] })).body.bulk;
  const server = await startApi(api.options, { port: 0 });
  const client = new StreamClient(server.url, { topics: `bulk:${id}` });
  await client.until(({ received }) => received[0]?.name === 'hello');
  await carryOut();
  const event = await client.until(({ events }) => events.find(({ kind }) => kind === 'bulk'));
  expect(event).toMatchObject({ topic: `bulk:${id}`, id, patch: { state: 'done', total: 1, told: 1 } });
  client.close();
  await server.stop();
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

it('of a caller with one project meets no run of another, and shows no bulk that concerns others', async () => {
  await api.publish('project: etl\nname: mine\ntasks: [{name: a, type: shell}]');
  const [theirs] = await queue(1);
  const [mine] = await queue(1, 'etl/mine');
  const { id: all } = (await bulk({ action: 'stop', filter: {} })).body.bulk;
  const { token } = (await api.post('/tokens', { name: 'ops', role: 'operator', project: 'etl' })).body;
  // The same store behind a server that asks for tokens.
  const guarded = await testApi({ store: api.store, token: 'the-server-token' });
  guarded.headers.authorization = `Bearer ${token}`;
  const dry = async (choice: object) =>
    (await guarded.post('/bulks', { action: 'stop', ...choice, dryRun: true })).body.would;
  expect(await dry({ filter: {} })).toMatchObject({ allowed: 1, total: 1 });
  expect(await dry({ ids: [mine, theirs] })).toMatchObject({
    allowed: 1,
    refusals: [{ reason: 'run not found', code: 'control.noRun', count: 1 }],
  });
  for (const filter of [{ project: 'default' }, { workflow: 'w' }])
    expect((await guarded.post('/bulks', { action: 'stop', filter })).status).toBe(403);
  const { id: own } = (await guarded.post('/bulks', { action: 'pause', ids: [mine, theirs] })).body.bulk;
  expect((await guarded.get('/bulks')).body.bulks.map(({ id }: { id: number }) => id)).toEqual([own]);
  for (const path of [`/bulks/${all}`, `/bulks/${all}/results`])
    expect((await guarded.get(path)).status).toBe(404);
  expect((await guarded.post(`/bulks/${all}/abort`, {})).status).toBe(404);
  await carryOut();
  const { results } = (await guarded.get(`/bulks/${own}/results`)).body;
  expect(results.find(({ run }: { run: number }) => run === theirs)).toMatchObject({
    state: null,
    name: null,
  });
  await guarded.app.close();
});
