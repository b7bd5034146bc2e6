import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAllowed } from './address.ts';
import { dingtalkSignature, feishuSignature } from './channels/chat-china.ts';
import { deliverySender } from './sender.ts';
import { settingsProblem } from './settings.ts';
import { delivery, hostile, NOW } from './testing/delivery.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a receiver reads: fields of any depth. */
interface Json {
  readonly [key: string]: Json;
}

let server: Server;
let received: Received[];
let answer: (response: ServerResponse) => void;
let base: string;

beforeEach(async () => {
  received = [];
  answer = (response) => response.end('ok');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const SECRET = `whsec_${Buffer.from('a key of some length').toString('base64')}`;

const send = deliverySender({
  now: () => NOW,
  console: 'https://orrery.example',
  readSecret: async (name) => (name === 'hook' ? SECRET : 'top-secret'),
});

describe('a webhook', () => {
  const inAnHour = new Date(NOW + 3_600_000).toUTCString();
  const settings = () => ({ url: `${base}/hook`, secrets: ['${secret.hook}'] });

  it('is signed so that its receiver can check it, with an id that stays the same over tries', async () => {
    expect(await send(delivery('webhook', settings()))).toMatchObject({ state: 'sent', answer: '200 ok' });
    await send(delivery('webhook', settings(), { tries: 2, doubled: true }));
    const ids = received.map(({ headers, body }) => {
      const id = String(headers['webhook-id']);
      const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
      const expected = createHmac('sha256', 'a key of some length').update(signed).digest();
      const given = Buffer.from(String(headers['webhook-signature']).slice(3), 'base64');
      expect(timingSafeEqual(expected, given)).toBe(true);
      return id;
    });
    expect(new Set(ids).size).toBe(1);
    const [first, second] = received.map(({ body }) => JSON.parse(body));
    expect(first).toMatchObject({
      type: 'alert.new',
      data: {
        title: 'sales/orders failed',
        lines: ['sales/orders: connection refused <db>'],
        link: 'https://orrery.example/runs/7',
        command: 'orrery why 7',
      },
    });
    expect(second.data.lines.at(-1)).toContain('may have been delivered before');
  });

  it.each([
    [500, {}, { state: 'again', nextTry: NOW + 5_000 }],
    [429, { 'retry-after': '60' }, { state: 'again', nextTry: NOW + 60_000 }],
    [429, { 'retry-after': inAnHour }, { state: 'again', nextTry: NOW + 3_600_000 }],
    [503, { 'retry-after': '9'.repeat(400) }, { state: 'again', nextTry: NOW + 86_400_000 }],
    [503, { 'retry-after': 'soon' }, { state: 'again', nextTry: NOW + 5_000 }],
    [400, {}, { state: 'failed' }],
    [302, { location: 'http://127.0.0.1:1/' }, { state: 'failed' }],
    [410, {}, { state: 'failed', disable: '410' }],
  ])('that answers %i with %j leads to %j', async (status, headers, expected) => {
    answer = (response) => response.writeHead(status, headers).end();
    expect(await send(delivery('webhook', settings()))).toMatchObject(expected);
  });

  it('that nobody answers is tried again, and fails after its last try', async () => {
    const gone = { url: 'http://127.0.0.1:1/', secrets: ['x'] };
    expect(await send(delivery('webhook', gone))).toMatchObject({ state: 'again' });
    expect(await send(delivery('webhook', gone, { tries: 8 }))).toMatchObject({ state: 'failed' });
  });

  it('that breaks off may have arrived, and one that was never reached has not', async () => {
    answer = (response) => response.destroy();
    expect(await send(delivery('webhook', settings()))).toMatchObject({ state: 'again', unsure: true });
    expect(received).toHaveLength(1);
    const gone = { ...settings(), url: 'http://127.0.0.1:1/' };
    expect(await send(delivery('webhook', gone))).toMatchObject({ state: 'again', unsure: false });
  });

  it('is read no further than its start, however much it answers', async () => {
    let written = 0;
    answer = (response) => {
      const more = () => {
        written++;
        if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more));
      };
      more();
    };
    const result = await send(delivery('webhook', settings()));
    expect(result).toMatchObject({ state: 'sent' });
    expect(result.answer).toHaveLength(500);
    expect(written).toBeLessThan(1_000);
  });

  it('shows an answer as one line without control characters', async () => {
    answer = (response) => response.writeHead(400).end('no\n\u001b[2J\u202eroom');
    expect((await send(delivery('webhook', settings()))).answer).toBe('400 no  [2J room');
  });

  it('shows no part of a secret where a long answer is cut', async () => {
    answer = (response) => response.writeHead(400).end(`${'x'.repeat(492)}top-secret`);
    const headers = { 'x-token': '${secret.token}' };
    expect((await send(delivery('webhook', { ...settings(), headers }))).answer).not.toContain('top');
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data'],
    ['http://[::ffff:a9fe:a9fe]/'],
    ['http://2852039166/'],
    ['http://[fe80::1]/'],
    ['http://[fd00:ec2::254]/'],
  ])('to %s, where clouds serve credentials, is refused', async (url) => {
    const result = await send(delivery('webhook', { ...settings(), url }));
    expect(result).toMatchObject({ state: 'failed' });
    expect(result.answer).toContain('no channel may connect to');
  });

  it.each([
    ['hooks.example', '169.254.169.254', false],
    ['localhost', '169.254.169.254', false],
    ['hooks.example', '127.0.0.1', false],
    ['hooks.example', '::1', false],
    ['hooks.example', '::ffff:127.0.0.1', false],
    ['hooks.example', '0.0.0.0', false],
    ['localhost', '127.0.0.1', true],
    ['hooks.example', '10.1.2.3', true],
    ['hooks.example', '203.0.113.7', true],
  ])('by the name %s may connect to %s: %s', (host, address, expected) => {
    expect(isAllowed(host, address)).toBe(expected);
  });

  it.each([
    [{ 'x y': 'z' }, 'is not the name of a header'],
    [{ x: 'a\r\nSet-Cookie: b' }, 'must be one line'],
    [{ 'Webhook-Id': 'z' }, 'is a header that Orrery sets'],
  ])('with the headers %j is not stored', (headers, problem) => {
    const one = { url: 'https://x.example', secrets: ['${secret.hook}'] };
    expect(settingsProblem('webhook', { ...one, headers })?.message).toContain(problem);
    expect(settingsProblem('webhook', { ...one, headers: { 'x-y': '${secret.a}' } })).toBeUndefined();
  });

  it('whose secret breaks a header fails without showing it', async () => {
    const broken = deliverySender({ now: () => NOW, readSecret: async () => 'top\r\nX-Evil: secret' });
    const one = { ...settings(), url: `${base}/x`, headers: { 'x-token': '${secret.token}' } };
    const result = await broken(delivery('webhook', one));
    expect(result).toMatchObject({ state: 'failed' });
    expect(result.answer).not.toMatch(/top|Evil/);
    expect(received).toEqual([]);
  });

  it('shows no secret in what is kept of its answer', async () => {
    answer = (response) => response.writeHead(400).end('bad token top-secret');
    const result = await send(
      delivery('webhook', { ...settings(), headers: { 'x-token': '${secret.token}' } }),
    );
    expect(result.answer).toBe('400 bad token ***');
    expect(received[0].headers['x-token']).toBe('top-secret');
  });
});

it.each([
  [
    'slack',
    {},
    (body: Json) => {
      const { type, text } = body.blocks[1].text;
      return [body.blocks[0].text.text, type, String(text).split('\n')[0]];
    },
    ['sales/orders failed', 'plain_text', 'sales/orders: connection refused <db>'],
  ],
  ['teams', {}, (body: Json) => body.attachments[0].content.body[0].inlines[0].text, 'sales/orders failed'],
  [
    'discord',
    {},
    (body: Json) => [body.embeds[0].title, body.allowed_mentions],
    ['sales/orders failed', { parse: [] }],
  ],
  ['feishu', {}, (body: Json) => [body.msg_type, body.sign], ['text', undefined]],
  ['wecom', {}, (body: Json) => body.msgtype, 'text'],
  ['dingtalk', { keyword: 'ops' }, (body: Json) => String(body.text.content).endsWith('\nops'), true],
])('%s gets the message in its own form', async (kind, more, pick, expected) => {
  answer = (response) => response.end('{}');
  expect(await send(delivery(kind, { url: `${base}/x`, ...more }))).toMatchObject({ state: 'sent' });
  expect(pick(JSON.parse(received[0].body))).toEqual(expected);
});

it('an on-call service gets one incident for a trouble, and its end', async () => {
  await send(delivery('pagerduty', { key: '${secret.pd}', server: base }));
  const over = delivery('pagerduty', { key: 'k', server: base });
  await send({ ...over, message: { ...over.message, reason: 'resolve' } });
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      routing_key: 'top-secret',
      event_action: 'trigger',
      dedup_key: 'orrery-c0ffee-3',
      payload: { severity: 'error' },
    },
    { event_action: 'resolve', dedup_key: 'orrery-c0ffee-3' },
  ]);
});

it.each([
  [
    'dingtalk',
    '{"errcode":310000,"errmsg":"keywords not in content"}',
    { state: 'failed', answer: '310000 keywords not in content' },
  ],
  ['dingtalk', '{"errcode":130101,"errmsg":"send too fast"}', { state: 'again', nextTry: NOW + 600_000 }],
  ['feishu', '{"code":19021,"msg":"sign match fail"}', { state: 'failed' }],
  ['wecom', '{"errcode":0,"errmsg":"ok"}', { state: 'sent' }],
])('%s that answers %s leads to %j', async (kind, text, expected) => {
  answer = (response) => response.end(text);
  expect(await send(delivery(kind, { url: `${base}/x` }))).toMatchObject(expected);
});

it('robots are signed as their makers say', () => {
  // Made by hand with openssl from the rules of each.
  expect(dingtalkSignature('this is secret', 1_577_262_236_757)).toBe(
    'hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM=',
  );
  expect(feishuSignature('demo', 1_599_360_473)).toBe('l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=');
});

it('a program gets the message on its standard input, and its words are the answer', async () => {
  const program = {
    program: '/bin/sh',
    args: ['-c', 'grep -o "sales/orders failed" | head -1; exit $0', '0'],
  };
  expect(await send(delivery('script', program))).toMatchObject({
    state: 'sent',
    answer: 'exit code 0 sales/orders failed',
  });
  const bad = { program: '/bin/sh', args: ['-c', 'echo no; exit 3'] };
  expect(await send(delivery('script', bad))).toMatchObject({ state: 'again', answer: 'exit code 3 no' });
});

it.each([
  ['leaves a child behind', 'sleep 600 & echo $!', { state: 'sent' }],
  ['waits for its child', 'sleep 600 & echo $!; wait', { state: 'again', unsure: true }],
  ['leaves a child behind in a group of its own', 'setsid sleep 3 & echo $!', { state: 'sent' }],
])('a program that %s holds nobody up, and its group ends with its time', async (_, line, expected) => {
  const impatient = deliverySender({ now: () => NOW, timeout: 500 });
  const result = await impatient(delivery('script', { program: '/bin/sh', args: ['-c', line] }));
  expect(result).toMatchObject(expected);
  const child = Number(/\d+$/.exec(result.answer)?.[0]);
  expect(child).toBeGreaterThan(1);
  await expect.poll(() => existsSync(`/proc/${child}`), { timeout: 30_000 }).toBe(false);
});

it.each([
  [undefined, 'channel c does not exist'],
  [{ kind: 'pigeon', settings: {} }, 'kind: "pigeon" is unknown'],
  [{ kind: 'webhook', settings: { url: 'ftp://x', secrets: ['s'] } }, 'channel c: '],
])('a channel %j fails with a reason', async (to, reason) => {
  const one = delivery('webhook', {});
  const result = await send({ ...one, to: to && one.to && { ...one.to, ...to } });
  expect(result.state).toBe('failed');
  expect(result.answer).toContain(reason);
});

describe('a channel with a template', () => {
  const sent = async (template: object, over: object = {}) => {
    await send({
      ...delivery('webhook', { url: `${base}/x`, secrets: ['s'], template }),
      ...over,
    });
    return JSON.parse(received[0].body).data;
  };

  it('says it in its own words', async () => {
    const template = {
      title: '[{{severity}}] {{project}}/{{name}}',
      text: '{{cause}}\nrun {{run}}, {{run|none}}',
    };
    const data = await sent(template);
    expect(data.title).toBe('[error] sales/orders');
    expect(data.lines).toEqual(['connection refused <db>', 'run 7, 7']);
    expect(data.link).toBe('https://orrery.example/runs/7');
  });

  it('that fails sends the standard text, and says so', async () => {
    const { message } = delivery('webhook', {});
    const subjects = message.subjects.map((one) => ({ ...one, run: null }));
    const data = await sent({ title: 'run {{run}}' }, { message: { ...message, subjects } });
    expect(data.title).toBe('sales/orders failed');
    expect(data.lines.at(-1)).toBe(
      'The template of this channel failed, so this is the standard text: {{run}} has no value.',
    );
  });

  it('that names a secret is not stored, and shows none if it was', async () => {
    const secrets = ['${secret.hook}'];
    const template = { text: 'the key is ${secret.hook}, {{cause}}' };
    expect(settingsProblem('webhook', { url: 'https://x.example', secrets, template })).toMatchObject({
      path: ['settings', 'template'],
    });
    expect((await sent(template)).lines).toEqual(['the key is ${secret.hook}, connection refused <db>']);
  });

  it('with a name that does not exist is not stored', () => {
    const secrets = ['${secret.hook}'];
    const settings = { url: 'https://x.example', secrets, template: { title: '{{user}}' } };
    expect(settingsProblem('webhook', settings)).toMatchObject({
      path: ['settings', 'template', 'title'],
      message: expect.stringContaining('{{user}} is unknown; use one of title, '),
    });
    expect(settingsProblem('webhook', { ...settings, template: { title: '{{name}}' } })).toBeUndefined();
    expect(settingsProblem('toString', {})).toMatchObject({ path: ['kind'] });
  });
});

it.each([
  ['mail', { host: 'h', from: 'a@b', to: 'c@d', user: 'u' }, { password: 'hush' }],
  ['webhook', { url: 'https://x.example' }, { secrets: ['${secret.a}', 'hush'] }],
  ['slack', {}, { url: 'https://hooks.slack.com/services/T0/B0/hush' }],
  ['telegram', { chat: 'c' }, { token: 'hush' }],
  ['pagerduty', {}, { key: 'hush' }],
  ['dingtalk', { url: '${secret.robot}' }, { secret: 'hush' }],
  ['snmp', { version: '3', host: 'h', user: 'u' }, { authPassword: 'hush-hush' }],
])('a secret of %s is stored by its name alone', (kind, settings, open) => {
  const [name] = Object.keys(open);
  const wrong = settingsProblem(kind, { ...settings, ...open });
  expect(wrong).toMatchObject({ path: ['settings', name], message: expect.stringContaining('is a secret') });
  const named = Array.isArray(Object.values(open)[0]) ? ['${secret.a}'] : '${secret.a}';
  expect(settingsProblem(kind, { ...settings, [name]: named })).toBeUndefined();
});

it.each([
  ['slack', {}, 20_000],
  ['telegram', { token: 't', chat: 'c' }, 13_000],
  ['teams', {}, 28_000],
  ['discord', {}, 14_000],
  ['wecom', {}, 2_300],
])('a long error line is shortened to what %s takes, without half a character', async (kind, more, most) => {
  answer = (response) => response.end('{}');
  const place = 'token' in more ? { server: base } : { url: `${base}/x` };
  const one = delivery(kind, { ...place, ...more, template: { text: '{{cause}}' } });
  // Cut at any place of what repeats: once in every place of `&lt;`.
  for (let lead = 0; lead < 13; lead++) {
    const text = `${'x'.repeat(lead)}${`${'汉'.repeat(9)}<`.repeat(1_200)}`;
    const subjects = one.message.subjects.map((subject) => ({ ...subject, text }));
    expect(await send({ ...one, message: { ...one.message, subjects } })).toMatchObject({ state: 'sent' });
  }
  expect(received).toHaveLength(13);
  for (const { body } of received) {
    expect(Buffer.byteLength(body)).toBeLessThan(most);
    expect(body.match(/&(?!(lt|gt|amp);)/g) ?? []).toEqual([]);
    expect([body.includes('\uFFFD'), body.includes('…')]).toEqual([false, true]);
  }
});

describe('what an attacker writes into an error line', () => {
  const TEXT =
    '@everyone <!channel> <at user_id="all"></at> **[pay](https://evil.example)** <b>x</b>\u001b[2J\u202e';
  it.each([
    ['slack', {}, ['mrkdwn']],
    ['teams', {}, ['"TextBlock"']],
    ['discord', {}, ['**[', ' [pay](']],
    ['telegram', { token: 't', chat: 'c' }, ['<!channel>', '<b>x', '<at ']],
    ['feishu', {}, ['<at ']],
    ['wecom', {}, ['markdown']],
    ['dingtalk', {}, ['"isAtAll":true']],
    ['pagerduty', { key: 'k' }, []],
    ['opsgenie', { key: 'k' }, []],
    ['webhook', { secrets: ['s'] }, []],
  ])('is no markup and calls nobody in %s', async (kind, more, forbidden) => {
    answer = (response) => response.end('{}');
    const place = 'key' in more || 'token' in more ? { server: base } : { url: `${base}/x` };
    expect(await send(hostile(kind, { ...place, ...more }, TEXT))).toMatchObject({ state: 'sent' });
    const { body } = received[0];
    for (const one of [...forbidden, '\\u001b', '\\u202e', '\u202e']) expect(body).not.toContain(one);
  });
});
