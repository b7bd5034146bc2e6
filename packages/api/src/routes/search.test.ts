import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let id: number;
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
project: etl
name: daily-orders
schedules: [{name: orders-at-6, cron: "0 6 * * *"}]
tasks: [{name: load, type: shell}, {name: v.2, type: shell}, {name: parts, type: shell, shards: 3}]
`);
  ({ id } = (await api.post('/runs', { workflow: 'etl/daily-orders' })).body);
  await api.hand.joinWorker('orders-worker');
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const find = async (q: string, more = '') =>
  (await api.get(`/search?q=${encodeURIComponent(q)}${more}`)).body;
const kinds = ({ hits }: { hits: { kind: string; id: string }[] }) => hits.map(({ kind }) => kind);

it('finds workflows, schedules and nodes by parts of their names', async () => {
  const found = await find('Orders');
  expect(kinds(found)).toEqual(['workflow', 'schedule', 'worker']);
  expect(found.hits[0]).toEqual({
    kind: 'workflow',
    id: 'etl/daily-orders',
    title: 'etl/daily-orders',
    state: null,
    address: '/workflows/etl/daily-orders',
  });
  const title = 'schedule orders-at-6 of etl/daily-orders';
  expect(found.hits[1]).toMatchObject({ title, state: 'on' });
  await api.post(`/schedules/${found.hits[1].id}/pause`);
  const paused = { title: `${title}, paused`, state: 'paused' };
  expect((await find('orders-at')).hits).toMatchObject([paused]);
  expect(found.hits[2]).toMatchObject({ state: 'alive', address: '/cluster/nodes/orders-worker' });
  expect((await find('etl/daily-orders')).exact).toMatchObject({ kind: 'workflow' });
  expect(kinds(await find('orders', '&project=other'))).toEqual(['worker']);
  expect((await find('orders', '&limit=1')).hits).toHaveLength(1);
  expect(await find('nothing like this')).toEqual({ exact: null, hits: [] });
});

it('finds drafts and groups, and names by their words and letters', async () => {
  await api.put('/workflows/etl/refunds/draft', { text: 'name: refunds' });
  await api.put('/task-groups/etl/warehouse', { slots: 2 });
  expect((await find('rfnds')).hits).toMatchObject([{ kind: 'workflow', id: 'etl/refunds' }]);
  expect(kinds(await find('orders daily'))).toEqual(['workflow']);
  expect((await find('whouse')).hits).toMatchObject([
    { kind: 'task-group', id: 'etl/warehouse', address: '/groups/tasks/etl/warehouse' },
  ]);
  expect((await find('default')).exact).toMatchObject({
    kind: 'worker-group',
    address: '/groups/workers/default',
  });
});

it('leads from any id to just one thing', async () => {
  expect((await find(String(id))).exact).toMatchObject({
    kind: 'run',
    state: 'queued',
    address: `/runs/${id}`,
  });
  await api.hand.claim();
  const exact = async (q: string) => (await find(q)).exact;
  expect(await exact(`#${id}`)).toMatchObject({ kind: 'run', state: 'running' });
  expect(await exact(`${id}.load`)).toMatchObject({
    kind: 'task-run',
    id: `${id}.load`,
    address: `/runs/${id}?task=load`,
  });
  expect(await exact(`${id}.load.3`)).toMatchObject({
    kind: 'attempt',
    address: `/task-runs/${id}.load?attempt=3`,
  });
  expect(await exact(`${id}.parts:1.2`)).toMatchObject({
    kind: 'attempt',
    id: `${id}.parts:1.2`,
    address: `/task-runs/${id}.parts?attempt=2&shard=1`,
  });
  expect(await exact(`${id}.v.2`)).toMatchObject({ kind: 'task-run', id: `${id}.v.2` });
  expect(await exact(`${id}.v.2.1`)).toMatchObject({ kind: 'attempt', id: `${id}.v.2.1` });
  expect(await exact(`/data/logs/daily-orders/${id}/2.1.4.log`)).toMatchObject({
    kind: 'attempt',
    id: `${id}.parts:1.4`,
  });
  expect(await exact(`/data/logs/daily-orders/${id}/0.1.log`)).toMatchObject({ id: `${id}.load.1` });
  expect(await exact('4711')).toBeNull();
  expect((await find(`${id}`, '&project=other')).exact).toBeNull();
});
