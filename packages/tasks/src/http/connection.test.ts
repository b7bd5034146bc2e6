/** `http` tasks with a connection, against a real server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';

const httpAllow = ['127.0.0.1'];

/** A server that wants a token below /api, and tells what it heard. */
async function startApi() {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    const known = ['Bearer right-token', `Basic ${btoa('etl:right-word')}`].includes(heard.at(-1) ?? '');
    response.writeHead(known ? 200 : 401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

it('sends the credentials of a connection to addresses below it, and to no other', async () => {
  const { origin, heard } = await startApi();
  const { run } = await startTaskWorker({ httpAllow }, { httpAllow });
  const ask = (url: string, settings: object = { token: 'right-token' }, kind = 'http') =>
    run({
      type: 'http',
      with: { url, connection: 'api' },
      connections: { api: { kind, settings: { url: `${origin}/api`, ...settings } } },
      secrets: ['right-token', 'right-word'],
    });
  for (const path of ['/api', '/api/orders?x=1'])
    expect((await ask(`${origin}${path}`)).outcome.state).toBe('success');
  expect((await ask(`${origin}/api`, { user: 'etl', password: 'right-word' })).outcome.state).toBe('success');
  expect((await ask(`${origin}/api`, { token: 'wrong' })).outcome.error).toContain('answered with 401');
  const asked = heard.length;
  const other = await startApi();
  for (const url of [
    `${origin}/apis`,
    `${origin}/api/../admin`,
    `${other.origin}/api`,
    `http://127.0.0.1@${new URL(other.origin).host}/api`,
  ])
    expect((await ask(url)).outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: `connection "api" is for addresses below ${origin}/api`,
    });
  expect([heard.length, other.heard]).toEqual([asked, []]);
  expect((await ask(`${origin}/api`, {}, 'smtp')).outcome.error).toContain('this task needs http');
});

it('is tested with its credentials', async () => {
  const { origin } = await startApi();
  const { run } = await startTaskWorker({ httpAllow }, { httpAllow });
  const probe = (token: string) =>
    run({
      type: 'connection-test',
      with: { connection: 'api' },
      connections: { api: { kind: 'http', settings: { url: `${origin}/api`, token } } },
      secrets: [token],
    });
  expect((await probe('right-token')).outcome.outputs?.server).toMatch(/status 200$/);
  expect((await probe('wrong')).outcome.error).toBe(`${origin}/api answered with 401`);
});
