/** Servers that need no token, as processes: requests that a foreign page or a proxy could have sent change nothing. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../dev/server-process.ts';
import { NodeProcess } from './node-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-no-token-'));
const workflow = 'name: say\ntasks: [{ name: say, type: shell, with: { script: "echo hi" } }]';
const evil = { host: 'evil.example', origin: 'http://evil.example' };
const started: (NodeProcess | ServerProcess)[] = [];
let dev: ServerProcess;
let server: NodeProcess;

beforeAll(async () => {
  dev = await ServerProcess.start(join(folder, 'dev'));
  started.push(dev);
  server = start('--role', 'master,worker,api', '--no-token');
  await server.says(/orrery is ready/);
});
afterAll(async () => {
  for (const each of started) await each.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts `orrery server` on free ports. */
function start(...args: string[]): NodeProcess {
  const ports = ['--port', '0', '--listen', '127.0.0.1:0'];
  const node = new NodeProcess([...args, ...ports, '--data', join(folder, 'server')]);
  started.push(node);
  return node;
}

/** Sends what `fetch` would not, such as a host of choice. */
async function post(url: string, body: string, headers: Record<string, string>) {
  const type = body.startsWith('{') ? 'application/json' : 'application/yaml';
  const asked = request(url, { method: 'POST', headers: { 'content-type': type, ...headers } }).end(body);
  const [answer] = await once(asked, 'response');
  return { status: answer.statusCode as number, body: JSON.parse(await text(answer)) };
}

describe.each(['orrery dev', 'orrery server --no-token'])('%s', (name) => {
  const url = () => (name === 'orrery dev' ? dev.url : /api at (\S+)/.exec(server.printed)?.[1]);
  const api = () => `${url()}/api/v1`;

  it.each([
    [evil, 421],
    [{ host: 'evil.example' }, 421],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ 'x-forwarded-for': '10.0.0.7' }, 403],
    [{ forwarded: 'for=10.0.0.7' }, 403],
  ])('lets nobody publish or run a workflow with %j', async (headers, status) => {
    const published = await post(`${api()}/workflows`, workflow, headers);
    expect(published).toMatchObject({ status, body: { detail: expect.any(String) } });
    const started = await post(`${api()}/runs`, '{"workflow":"say"}', headers);
    expect(started.status).toBe(status);
    expect(await (await fetch(`${api()}/workflows`)).json()).toMatchObject({ workflows: [] });
  });

  it('lets a page of its own do so, also through a tunnel with another port', async () => {
    const own = { host: 'localhost:8080', origin: 'http://localhost:8080' };
    expect(await post(`${api()}/workflows`, workflow, own)).toMatchObject({ status: 200 });
    expect(await post(`${api()}/runs`, '{"workflow":"say"}', own)).toMatchObject({
      body: { state: 'queued' },
    });
  });
});

describe('orrery server', () => {
  it('says aloud that it needs no token', () => {
    expect(server.printed).toContain('warn: --no-token: everyone who can reach the API can run commands');
  });

  it.each([
    [[], 'the API needs a token: make one with "openssl rand -hex 32"'],
    [['--no-token', '--host', '0.0.0.0'], '--no-token is for loopback only'],
    [['--no-token', '--token', 'hush'], 'noToken (from option) and token (from option) exclude each other'],
    [['--token', 'hush', '--no-token'], 'noToken (from option) and token (from option) exclude each other'],
  ])('with an API and %j does not start, and says why in one line', async (args, message) => {
    const node = start('--role', 'master,api', ...args);
    expect(await node.ended()).toBe(2);
    expect(node.printed.trimEnd().split('\n')).toEqual([expect.stringContaining(message)]);
  });
});
