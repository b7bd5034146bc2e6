import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const ROOT = 'the-server-token-0123456789abcdef0123456789abcdef';

let api: TestApi;
let alert: number;
let delivery: number;
beforeEach(async () => {
  api = await testApi({ token: ROOT });
  Object.assign(api.headers, { authorization: `Bearer ${ROOT}` });
  await api.publish("name: orders\ntasks: [{ name: a, type: shell, with: { script: 'true' } }]");
  const run: number = (await api.post('/runs', { workflow: 'orders' })).body.id;
  await api.put('/alert-channels/*/ops', { kind: 'slack', settings: { url: '${secret.slack}' } });
  await api.put('/alert-rules/default/failures', { name: 'failures', groupBy: ['kind'], channels: ['ops'] });
  const { store, hand, now } = api;
  const self = await hand.join();
  await hand.claim();
  const about = { workflow: 1, project: 'default', run, kind: 'run-failed', from: now, to: null } as const;
  const alerts = ['orders', 'sales'].map((name) => ({ ...about, name, text: 'no route to host' }));
  await hand.change(run, { alerts });
  await store.routeAlerts({ self, limit: 10, now });
  await store.passAlertGroups({ self, limit: 10, now });
  const [{ id, tries, message }] = await store.leaseDeliveries({ self, limit: 10, until: now, now });
  [alert, delivery] = [message.group, id];
  const result = { id, number: tries, state: 'failed', answer: '400 no room', took: 1 } as const;
  await store.recordTries({ self, results: [result], now });
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

it('a message says what it is about, and every try its answer', async () => {
  const { deliveries } = (await api.get('/deliveries')).body;
  expect(deliveries).toMatchObject([
    {
      id: delivery,
      alert,
      state: 'failed',
      answer: '400 no room',
      about: { kind: 'run-failed', project: 'default', name: 'sales', text: 'no route to host' },
      others: 1,
    },
  ]);
  const shown = (await api.get(`/deliveries/${delivery}`)).body;
  expect(shown.attempts).toMatchObject([{ number: 1, state: 'failed', answer: '400 no room' }]);
  const { body: tested } = await api.post('/alert-channels/*/ops/test', {});
  expect((await api.get(`/deliveries/${tested.delivery}`)).body).toMatchObject({ about: null, others: 0 });
});

it('an admin of another project neither reads, tests nor changes any of it', async () => {
  const made = await api.post('/tokens', { name: 'mallory', role: 'admin', project: 'other' });
  const authorization = `Bearer ${made.body.token}`;
  const before = await stateOf();
  Object.assign(api.headers, { authorization });
  expect((await api.get('/deliveries')).body.deliveries).toEqual([]);
  expect((await api.get(`/deliveries?alert=${alert}`)).body.deliveries).toEqual([]);
  expect((await api.get('/alerts')).body.alerts).toEqual([]);
  expect((await api.get('/alert-channels')).body.channels).toEqual([]);
  expect((await api.get('/alert-rules')).body.rules).toEqual([]);
  const refused = [
    await api.get(`/deliveries/${delivery}`),
    await api.post(`/deliveries/${delivery}/retry`, {}),
    await api.post(`/alerts/${alert}/acknowledge`, {}),
    await api.post('/alert-channels/*/ops/test', {}),
    await api.post('/alert-channels/other/ops/test', {}),
    await api.put('/alert-channels/*/ops', { kind: 'slack', settings: { url: '${secret.mine}' } }),
    await api.put('/alert-rules/default/failures', { name: 'failures', enabled: false, channels: ['ops'] }),
    await api.post('/alert-mutes/default', { match: {}, until: '+2h', reason: 'hush' }),
    await api.post('/alert-mutes/*', { match: {}, until: '+2h', reason: 'hush' }),
    await api.post('/alert-rules/*/preview', { name: 'x', channels: ['ops'] }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 403, 403, 403, 403, 403, 403, 403]);
  Object.assign(api.headers, { authorization: `Bearer ${ROOT}` });
  expect(await stateOf()).toEqual(before);
});

async function stateOf() {
  const paths = ['/deliveries', '/alerts', '/alert-channels', '/alert-rules', '/alert-mutes'];
  const answers = [];
  for (const path of paths) answers.push((await api.get(path)).body);
  return answers;
}
