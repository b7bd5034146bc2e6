/** The path of an alert as its operator walks it: channels and rules from a file, a failed run, a mail and a webhook. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { ServerProcess } from './server-process.ts';

const value = 'correct-horse-battery-staple';
const mailProgram = join(import.meta.dirname, '../../../alerts/src/testing/smtp-process.ts');
const mailServer = spawn(process.execPath, [mailProgram], { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface(mailServer.stdout)[Symbol.asyncIterator]();
const read = async () => JSON.parse(String((await lines.next()).value));

const hooks: string[] = [];
let hookServer: Server;
let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-alert-path-'));
  mkdirSync(join(folder, 'secrets', 'default'), { recursive: true });
  writeFileSync(join(folder, 'secrets', 'default', 'vault'), `${value}\n`);
  writeFileSync(join(folder, 'secrets', 'hook_key'), 'whsec_a-key-of-the-hook\n');
  server = await ServerProcess.start(join(folder, 'data'), '--secrets', join(folder, 'secrets'));
  hookServer = createServer(async (request, response) => {
    hooks.push(await text(request));
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(hookServer, 'listening');
});
afterAll(async () => {
  await server?.end('SIGKILL');
  hookServer?.close();
  mailServer.stdin.end();
  await once(mailServer, 'exit');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const command = async (...args: string[]) => {
  const { code, out, err } = await orrery([...args, '--url', server.url]);
  return { code, said: out + err };
};

it('leads from a file to the people, without the secret that the error line held', {
  timeout: 120_000,
}, async () => {
  const hook = `http://127.0.0.1:${(hookServer.address() as AddressInfo).port}/`;
  const alerts = join(folder, 'alerts.yaml');
  writeFileSync(
    alerts,
    `channels:
  - {name: hook, kind: webhook, settings: {url: '${hook}', secrets: ['\${secret.hook_key}']}}
  - {name: post, kind: mail, settings: {host: 127.0.0.1, port: ${await read()}, security: none, from: o@example.org, to: ops@example.org}}
rules:
  - {name: failures, match: {kinds: [run-failed]}, channels: [hook, post]}
`,
  );
  expect(await command('apply', '-f', alerts)).toMatchObject({ code: 0 });
  expect(await command('channels', 'test', 'hook')).toMatchObject({ code: 0, said: 'sent: 200 ok\n' });

  const flow = `
name: leaky
tasks:
  - name: sign-in
    type: shell
    with: { script: "echo \\"cannot sign in to db with \${secret.vault}\\" >&2; exit 1" }
`;
  expect((await server.post('/workflows', flow, 'application/yaml')).status).toBe(200);
  const ended = await orrery(['run', 'leaky', '--wait', '--json', '--url', server.url]);
  const { id } = JSON.parse(ended.out);
  const log = (await command('logs', `${id}.sign-in`)).said;
  const mail = await read();
  await expect.poll(() => hooks.length, { timeout: 30_000 }).toBe(2);
  const line = 'cannot sign in to db with ***';
  for (const shown of [log, mail.text, hooks[1]]) {
    expect(shown).toContain(line);
    expect(shown).not.toContain(value);
  }
  // The mail is text and HTML, and both have the line.
  expect(mail.text.split(line).length).toBeGreaterThan(2);

  const listed = (await command('alerts', 'list')).said;
  expect(listed).toContain(line);
  const alert = /^(\d+)\s+firing/m.exec(listed)?.[1] ?? '';
  expect((await command('alerts', 'ack', alert)).said).toMatch(/is acknowledged by/);
  expect((await command('rules', 'preview', '-f', ruleFile())).said).toMatch(
    /^would have fired 1 times in 30 days/,
  );

  await command('alerts', 'mute', '--for', '1h', '--reason', 'moving hosts', '--name', 'none-*');
  expect((await command('alerts', 'mutes')).said).toMatch(/default +none-\* +in .*moving hosts/);

  // A channel that goes while a rule names it: what is for it is listed, what is for others arrives.
  expect(await command('channels', 'delete', 'hook')).toMatchObject({ code: 0 });
  expect((await server.post('/workflows', flow.replace('leaky', 'other'), 'application/yaml')).status).toBe(
    200,
  );
  await orrery(['run', 'other', '--wait', '--url', server.url]);
  expect((await read()).text).toContain('default/other');
  await expect
    .poll(async () => JSON.stringify(await server.get('/deliveries?state=failed')), { timeout: 30_000 })
    .toContain('channel hook does not exist');
});

function ruleFile(): string {
  const file = join(folder, 'rule.yaml');
  writeFileSync(file, 'name: failures\nmatch: {kinds: [run-failed]}\nchannels: [post]\n');
  return file;
}
