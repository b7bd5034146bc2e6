import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

const ROOT = 'the-server-token-0123456789abcdef0123456789abcdef';

let api: TestApi;
beforeEach(async () => {
  api = await testApi({ token: ROOT });
  Object.assign(api.headers, { authorization: `Bearer ${ROOT}` });
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const OPS =
  "channels: [{name: ops, kind: webhook, settings: {url: 'https://x.example', secrets: ['${secret.h}']}}]\n";
const RULE = 'rules: [{name: failures, channels: [ops]}]\n';

async function apply(text: string, token = ROOT) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' };
  return await api.post('/alert-files', text, headers);
}

async function tokenOf(role: string, project?: string): Promise<string> {
  return (await api.post('/tokens', { name: `${role}-${project}`, role, project })).body.token;
}

describe('an alert file', () => {
  it('is applied as a whole, audited, and the same again changes nothing', async () => {
    const made = await apply(OPS + RULE);
    expect(made.body.entries).toMatchObject([
      { thing: 'channel', project: '*', name: 'ops', created: true },
      { thing: 'rule', project: 'default', name: 'failures', created: true },
    ]);
    const entries = async () =>
      (await api.get('/audit')).body.entries.map(({ action }: { action: string }) => action);
    expect(await entries()).toEqual(['alert-rule.set', 'alert-channel.set']);
    const again = await apply(OPS + RULE);
    expect(again.body.entries).toMatchObject([{ changed: false }, { changed: false }]);
    expect(await entries()).toHaveLength(2);
  });

  it('with one problem changes nothing', async () => {
    const { status, body } = await apply(
      `${OPS}rules: [{name: a, channels: [ops]}, {name: b, channels: [none]}]`,
    );
    expect(status).toBe(422);
    expect(body.problems).toMatchObject([{ line: 2, message: 'there is no channel "none"' }]);
    expect((await api.get('/alert-channels')).body.channels).toEqual([]);
    expect((await api.get('/alert-rules')).body.rules).toEqual([]);
  });

  it('puts a channel in use again that was switched off', async () => {
    await apply(OPS);
    const { store, hand } = api;
    const self = await hand.join();
    await api.post('/alert-channels/*/ops/test', {});
    const [{ id, tries }] = await store.leaseDeliveries({ self, limit: 1, until: api.now + 1, now: api.now });
    const result = {
      id,
      number: tries,
      state: 'failed',
      answer: '410',
      took: 1,
      disable: '410 gone',
    } as const;
    await store.recordTries({ self, results: [result], now: api.now });
    expect((await api.get('/alert-channels')).body.channels).toMatchObject([{ disabled: '410 gone' }]);
    expect((await apply(OPS)).body.entries[0].diff).toEqual([
      { path: 'disabled', before: '410 gone', after: null },
    ]);
    expect((await api.get('/alert-channels')).body.channels).toMatchObject([{ disabled: null }]);
  });

  it.each([
    ['viewer', undefined, RULE, 403],
    ['editor', undefined, RULE, 200],
    ['editor', undefined, OPS, 403],
    ['editor', 'default', RULE, 200],
    ['editor', 'default', `project: '*'\n${RULE}`, 403],
    ['editor', 'sales', RULE, 403],
    ['admin', 'default', `project: default\n${OPS}`, 403],
    ['admin', undefined, OPS.replace('webhook', 'script'), 422],
  ])('of %s of %s is kept to what they may do: %s', async (role, project, text, status) => {
    await apply(OPS);
    const before = (await api.get('/alert-channels')).body;
    expect((await apply(text, await tokenOf(role, project))).status).toBe(status);
    expect((await api.get('/alert-channels')).body).toEqual(before);
    expect((await api.get('/alert-rules')).body.rules).toHaveLength(status === 200 ? 1 : 0);
  });
});

it('a rule of one project for alerts about the cluster is refused: it would never fire', async () => {
  await apply(OPS);
  const rule = { name: 'a', match: { kinds: ['run-failed', 'worker-lost'] }, channels: ['ops'] };
  const problem = 'worker-lost is about the cluster: only a rule of project * hears of it';
  expect((await api.put('/alert-rules/default/a', rule)).body.detail).toContain(problem);
  const inFile = `{name: a, match: {kinds: [run-failed, worker-lost]}, channels: [ops]}`;
  expect((await apply(`rules: [${inFile}]`)).body.problems).toMatchObject([{ message: problem }]);
  expect((await api.put('/alert-rules/*/a', rule)).status).toBe(200);
  expect((await apply(`project: '*'\nrules: [${inFile}]`)).status).toBe(200);
});

it('a rule with a channel that does not exist is refused', async () => {
  const rule = { name: 'a', channels: ['ops'], escalate: { after: '1h', channels: ['boss'] } };
  expect((await api.put('/alert-rules/default/a', rule)).body.detail).toContain('there is no channel "ops"');
  await apply(OPS);
  expect((await api.put('/alert-rules/default/a', rule)).body.detail).toContain('there is no channel "boss"');
  expect((await api.get('/alert-rules')).body.rules).toEqual([]);
});
