import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliverySender } from '../sender.ts';
import { delivery, hostile, NOW } from '../testing/delivery.ts';

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

const program = join(import.meta.dirname, '..', 'testing', 'smtp-process.ts');
const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
const read = async () => JSON.parse(String((await lines.next()).value));
let port: number;
beforeAll(async () => {
  port = await read();
});
afterAll(async () => {
  server.stdin.end();
  await once(server, 'exit');
});

const sender = (timeout: number) =>
  deliverySender({
    now: () => NOW,
    console: 'https://orrery.example',
    readSecret: async (name) => (name === 'mail' ? 'hush-hush' : 'wrong-one'),
    timeout,
  });
const send = sender(15_000);
const settings = (more: object = {}) => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'orrery',
  password: '${secret.mail}',
  from: 'Orrery <orrery@example.org>',
  to: ['ops@example.org', 'ann@example.org'],
  ...more,
});
/** The header of a message, unfolded, and its body. */
function partsOf(text: string): { readonly header: string; readonly body: string } {
  const [header, ...body] = text.replaceAll('\r\n', '\n').split('\n\n');
  return { header: header.replace(/\n[ \t]+/g, ' '), body: body.join('\n\n') };
}

it('is text and HTML, with the cause, the link, the command and what to do next', async () => {
  expect(await send(delivery('mail', settings()))).toMatchObject({ state: 'sent' });
  const { to, text }: Received = await read();
  expect(to).toEqual(['ops@example.org', 'ann@example.org']);
  const { header, body } = partsOf(text);
  expect(header).toContain('Subject: sales/orders failed');
  expect(header).toContain('Message-ID: <orrery-c0ffee-5@example.org>');
  expect(header).toContain('References: <orrery-c0ffee-3@example.org>');
  expect(body).toContain('sales/orders: connection refused <db>');
  expect(body).toContain('sales/orders: connection refused &lt;db&gt;');
  for (const part of ['https://orrery.example/runs/7', 'orrery why 7', 'Next: read the log'])
    expect(body.split(part).length).toBeGreaterThan(2);
});

it('is written in Chinese where the channel says so', async () => {
  expect(await send(delivery('mail', settings({ language: 'zh' })))).toMatchObject({ state: 'sent' });
  const { header } = partsOf(((await read()) as Received).text);
  const words = [...header.matchAll(/=\?UTF-8\?Q\?(.+?)\?=/g)].map(([, word]) => word).join('');
  const subject = decodeURIComponent(words.replaceAll('=', '%').replaceAll('_', ' '));
  expect(subject).toBe('sales/orders 运行失败');
});

it('has no header and no markup that an error line asks for', async () => {
  const text = '\r\nBcc: evil@example.org\r\n\r\n<script>alert(1)</script>';
  expect(await send(hostile('mail', settings(), text))).toMatchObject({ state: 'sent' });
  const received: Received = await read();
  expect(received.to).toEqual(['ops@example.org', 'ann@example.org']);
  const { header, body } = partsOf(received.text);
  expect(header.split('\n').filter((line) => /^bcc:/i.test(line))).toEqual([]);
  const html = body.slice(body.indexOf('text/html'));
  expect(html).not.toContain('<script>');
  expect(html).toContain('&lt;script&gt;');
});

it.each([
  [{ password: '${secret.other}' }, { state: 'failed' }, /wrong password/],
  [{ to: 'nobody@example.org' }, { state: 'failed' }, /no such user/],
  [{ to: 'busy@example.org' }, { state: 'again' }, /later/],
  [{ security: 'starttls' }, { state: 'failed' }, /STARTTLS/i],
  [{ port: 1 }, { state: 'again' }, /ECONNREFUSED/],
])('to a server by %j leads to %j', async (more, expected, answer) => {
  const result = await send(delivery('mail', settings(more)));
  expect(result).toMatchObject(expected);
  expect(result.answer).toMatch(answer);
  expect(result.answer).not.toContain('hush-hush');
});

it('to a server that takes long for each of many recipients is given up within the time of a try', async () => {
  const to = Array.from({ length: 50 }, (_, k) => `slow${k}@example.org`);
  expect(await sender(1_000)(delivery('mail', settings({ to })))).toMatchObject({ state: 'again' });
});

it('that is not answered may have arrived', async () => {
  const result = await sender(3_000)(delivery('mail', settings({ to: 'silent@example.org' })));
  expect(result).toMatchObject({ state: 'again', unsure: true });
  expect(((await read()) as Received).to).toEqual(['silent@example.org']);
});
