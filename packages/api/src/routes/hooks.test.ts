import { createHash, createHmac } from 'node:crypto';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

const secret = 'what-requests-are-signed-with';
let api: TestApi;
let unread: boolean;

const start = async (store: TestApi['store']): Promise<void> => {
  unread = false;
  api = await testApi({
    store,
    token: 'the-token-of-the-server-under-test',
    readSecret: async (name, project) => {
      if (unread) throw new Error('no such file');
      return `${project}/${name}` === 'default/PUSH' ? secret : 'another';
    },
  });
  const headers = { authorization: 'Bearer the-token-of-the-server-under-test' };
  const file = `name: build
params: {branch: main, count: {type: integer, default: 0}, first: none, by: hand}
triggers:
  - name: push
    webhook: {secret: PUSH, params: {branch: body.ref, count: body.size, first: body.commits.0}}
    params: {by: push}
  - {name: off, webhook: PUSH, enabled: false}
  - {name: hub, webhook: {secret: PUSH, scheme: github}}
  - {name: later, after: other}
tasks: [{name: a, type: shell}]
`;
  await api.post('/workflows', file, { ...headers, 'content-type': 'application/yaml' });
};

const sign = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex');
const send = (body: string, headers: Record<string, string>, trigger = 'push', workflow = 'build') =>
  api.post(`/hooks/default/${workflow}/${trigger}`, Buffer.from(body), {
    'content-type': 'application/json',
    ...headers,
  });
const signed = (
  body: string,
  { at = api.now, key = secret, delivery = 'd1', trigger = 'push', workflow = 'build' } = {},
) => {
  const seconds = String(Math.floor(at / 1_000));
  const digest = createHash('sha256').update(body).digest('hex');
  const text = ['POST', `default/${workflow}/${trigger}`, seconds, delivery, digest].join('\n');
  return {
    'orrery-timestamp': seconds,
    'orrery-delivery': delivery,
    'orrery-signature': `v2=${sign(text, key)}`,
  };
};
const unnamed = (body: string) => {
  const { 'orrery-delivery': _, ...headers } = signed(body, { delivery: '' });
  return headers;
};
const runs = async () => {
  api.headers.authorization = 'Bearer the-token-of-the-server-under-test';
  const { body } = await api.get('/runs');
  delete api.headers.authorization;
  return body.runs;
};

describe.each(testDatabases())('a request to a webhook, on $name', ({ open, close }) => {
  beforeEach(async () => start(await open()));
  afterEach(() => api.app.close());
  afterAll(close);
  const body = '{"ref":"dev","size":3,"commits":[{"id":"x"}]}';

  it('starts a run with the parts of its body that the trigger names, and needs no token', async () => {
    const { status, body: answer } = await send(body, signed(body));
    expect([status, answer]).toEqual([202, { id: expect.any(Number), repeated: false }]);
    expect(await runs()).toMatchObject([
      {
        id: answer.id,
        trigger: 'webhook',
        params: { by: 'push', branch: 'dev', count: '3', first: '{"id":"x"}' },
      },
    ]);
    expect(api.hinted).toContain('commands');
  });

  it('is accepted as GitHub signs it where the trigger says so, once for a delivery and once for a body', async () => {
    const github = (text: string, delivery: string) => ({
      'x-hub-signature-256': `sha256=${sign(text)}`,
      'x-github-delivery': delivery,
    });
    const { status, body: first } = await send(body, github(body, 'one'), 'hub');
    expect(status).toBe(202);
    expect((await send(body, github(body, 'one'), 'hub')).body).toEqual({ id: first.id, repeated: true });
    // The name of the delivery is not signed: a copy could have any.
    expect((await send(body, github(body, 'two'), 'hub')).body).toEqual({ id: first.id, repeated: true });
    const other = await send('{"ref":"x"}', github('{"ref":"x"}', 'three'), 'hub');
    expect(other).toMatchObject({ status: 202, body: { repeated: false } });
    api.now += 365 * 86_400_000;
    expect((await send(body, github(body, 'four'), 'hub')).body).toEqual({ id: first.id, repeated: true });
    const { 'x-github-delivery': _, ...unnamed } = github('{}', '');
    expect((await send('{}', unnamed, 'hub')).status).toBe(404);
  });

  it('is accepted by the scheme of its trigger alone', async () => {
    const github = { 'x-hub-signature-256': `sha256=${sign(body)}`, 'x-github-delivery': 'one' };
    expect((await send(body, github)).status).toBe(404);
    expect((await send(body, signed(body, { trigger: 'hub' }), 'hub')).status).toBe(404);
    expect((await send(body, { ...github, ...signed(body) })).status).toBe(202);
  });

  it('starts one run however often it is delivered', async () => {
    const { body: first } = await send(body, signed(body));
    api.now = START + 60_000;
    const again = await send(body, signed(body));
    expect([again.status, again.body]).toEqual([202, { id: first.id, repeated: true }]);
    const copy = { ...signed(body), 'orrery-delivery': 'd2' };
    expect((await send(body, copy)).status).toBe(404);
    const [one, other] = await Promise.all([
      send(body, signed(body, { delivery: 'd3' })),
      send(body, signed(body, { delivery: 'd3' })),
    ]);
    expect([one.body.id, [one.body.repeated, other.body.repeated].sort()]).toEqual([
      other.body.id,
      [false, true],
    ]);
  });

  it.each<[string, () => ReturnType<typeof send>]>([
    ['an unknown trigger', () => send(body, signed(body), 'nosuch')],
    ['an unknown workflow', () => send(body, signed(body), 'push', 'nosuch')],
    ['a trigger that is off', () => send(body, signed(body), 'off')],
    ['a trigger of another kind', () => send(body, signed(body), 'later')],
    ['a wrong secret', () => send(body, signed(body, { key: 'guess' }))],
    ['another body', () => send('{}', signed(body))],
    ['no signature', () => send(body, {})],
    ['no delivery', () => send(body, unnamed(body))],
    [
      'a signature of the body alone',
      () => send(body, { ...signed(body), 'orrery-signature': `v2=${sign(body)}` }),
    ],
    ['what was signed for another hook', () => send(body, signed(body, { trigger: 'hub' }))],
    ['a time too long ago', () => send(body, signed(body, { at: START - 301_000 }))],
    ['a time too far ahead', () => send(body, signed(body, { at: START + 301_000 }))],
    ['a time that is none', () => send(body, { ...signed(body), 'orrery-timestamp': 'now' })],
  ])('is answered the same with %s', async (_, ask) => {
    const { status, body } = await ask();
    expect([status, body.detail]).toEqual([
      404,
      'there is no such hook, or this is not signed with its secret',
    ]);
    expect(await runs()).toEqual([]);
  });

  it('tells the log of the server, not the sender, that the secret cannot be read', async () => {
    unread = true;
    expect((await send(body, signed(body))).status).toBe(404);
    expect(api.defects.splice(0)).toMatchObject([{ message: 'no such file' }]);
  });

  it('has to wait after too many wrong signatures, also with a right one', async () => {
    for (let k = 0; k < 20; k++) await send(body, signed(body, { key: 'guess' }));
    expect((await send(body, signed(body))).status).toBe(429);
    api.now += 60_000;
    expect((await send(body, signed(body))).status).toBe(202);
  });

  it('is refused where its values do not fit, and never refers to parameters or secrets of ours', async () => {
    const wrong = '{"size":"many"}';
    const { status, body: refused } = await send(wrong, signed(wrong));
    expect([status, refused.detail]).toEqual([422, expect.stringContaining('parameter "count"')]);
    const around = '{"size":"${branch}"}';
    expect((await send(around, signed(around))).status).toBe(422);
    const sly = '{"ref":"${secret.PUSH}"}';
    expect((await send(sly, signed(sly))).status).toBe(202);
    expect((await runs())[0].params.branch).toBe('\\${secret.PUSH}');
    const large = JSON.stringify({ ref: 'x'.repeat(800_000) });
    expect(await send(large, signed(large))).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('800000') },
    });
    const broken = '{"ref":';
    expect((await send(broken, signed(broken))).body.detail).toContain('the body is not JSON');
  });
});
