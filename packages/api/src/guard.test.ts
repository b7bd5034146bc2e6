import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { operationIds, routeOf } from '@orrery/contract';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { startApi } from './listen.ts';
import { Metrics } from './metrics/metrics.ts';
import { createApi } from './server.ts';
import { type TestApi, testApi } from './testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const ask = (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET', app = api.app) =>
  app.inject({ method, url: '/api/v1/nodes', headers });

describe('without a token', () => {
  it.each([
    'localhost',
    'LOCALHOST:7070',
    'localhost:8080',
    'orrery.localhost',
    '127.0.0.1:7070',
    '127.3.2.1',
    '[::1]:7070',
    '[::1]',
  ])('answers to the host %s', async (host) => {
    expect((await ask({ host })).statusCode).toBe(200);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'evil.example:80@localhost',
    'localhost.',
    'orrery:7070',
    '10.0.0.7',
    '0.0.0.0:7070',
    '[::]:7070',
    '::1',
  ])('does not answer to the host "%s", which a page or a proxy could have pointed here', async (host) => {
    const reply = await ask({ host });
    expect(reply.statusCode).toBe(421);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(reply.json().type).toBe('urn:orrery:problem:wrong-host');
  });

  it.each(['X-Forwarded-For', 'X-Forwarded-Host', 'x-forwarded-proto', 'Forwarded', 'Via', 'X-Real-IP'])(
    'refuses a request with the header %s, which a proxy adds',
    async (name) => {
      const reply = await ask({ host: 'localhost', [name]: '127.0.0.1' });
      expect(reply.statusCode).toBe(403);
      expect(reply.json().detail).toBe(
        `requests through a proxy need a server with a token; this one came with ${name.toLowerCase()}`,
      );
    },
  );

  it('refuses every operation, page and file to another host, also those that are open to everybody', async () => {
    const metrics = new Metrics({ clock: api.options.clock, worker: () => ({ slots: 0, used: 0 }) });
    const app = createApi({ ...api.options, metrics, console: import.meta.dirname });
    const all = operationIds
      .map(routeOf)
      .map(({ method, path }) => [method, `/api/v1${path.replace(/\{\w+\}/g, '1')}`] as const);
    const others = ['/', '/runs', '/assets/index.js', '/metrics', '/nosuch', '/api/v1/nosuch'];
    for (const [method, url] of [...all, ...others.map((path) => ['GET', path] as const)]) {
      const reply = await app.inject({ method, url, headers: { host: 'evil.example' } });
      expect([method, url, reply.statusCode]).toEqual([method, url, 421]);
    }
    await app.close();
  });

  it.each([
    ['two hosts', 'GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nHost: evil.example', 421],
    ['the same host twice', 'GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nhost: localhost', 421],
    ['an absolute target', 'GET http://evil.example/api/v1/nodes HTTP/1.1\r\nHost: localhost', 421],
    ['an empty host', 'GET /api/v1/nodes HTTP/1.1\r\nHost:', 421],
    ['no host in HTTP/1.0', 'GET /api/v1/nodes HTTP/1.0', 421],
    ['no host in HTTP/1.1', 'GET /api/v1/nodes HTTP/1.1', 400],
    ['another host in HTTP/1.0', 'GET /api/v1/nodes HTTP/1.0\r\nHost: evil.example', 421],
    ['its host in HTTP/1.0', 'GET /api/v1/nodes HTTP/1.0\r\nHost: localhost', 200],
    ['a proxy', 'GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nForwarded: for=10.0.0.7', 403],
  ])('judges a request with %s as it came over the wire', async (_, head, status) => {
    const server = await startApi(api.options, { port: 0 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end(`${head}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await server.stop();
  });

  it('answers on the loopback of IPv6 too', async () => {
    const server = await startApi(api.options, { host: '::1', port: 0 });
    expect((await fetch(`${server.url}/api/v1/nodes`)).status).toBe(200);
    await server.stop();
  });
});

describe('requests of pages that a browser shows', () => {
  const publish = (headers: Record<string, string>, app = api.app) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/workflows',
      headers: { host: 'localhost:7070', 'content-type': 'application/yaml', ...headers },
      payload: 'name: evil\ntasks: [{name: a, type: shell}]',
    });

  it.each([
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', 'http://localhost:8080'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
  ])('with %s: %s cannot change anything', async (name, value) => {
    const reply = await publish({ [name]: value });
    expect(reply.statusCode).toBe(403);
    expect((await api.get('/workflows')).body.workflows).toEqual([]);
  });

  it('of this server itself can', async () => {
    const headers = { origin: 'http://localhost:7070', 'sec-fetch-site': 'same-origin' };
    expect((await publish(headers)).statusCode).toBe(200);
  });

  it('of this server itself can, also behind a proxy that asks under another name, but not without a token', async () => {
    const headers = { origin: 'https://orrery.example', 'sec-fetch-site': 'same-origin' };
    expect((await publish(headers)).statusCode).toBe(403);
    const app = createApi({ ...api.options, token: 'secret' });
    expect((await publish({ ...headers, authorization: 'Bearer secret' }, app)).statusCode).toBe(200);
  });

  it('are not given leave to read answers', async () => {
    const { headers } = await ask({ origin: 'https://evil.example' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});

describe('with a token', () => {
  it('answers to any host, also through a proxy', async () => {
    const app = createApi({ ...api.options, token: 'secret' });
    const headers = { host: 'orrery.example', 'x-forwarded-for': '10.0.0.7', authorization: 'Bearer secret' };
    expect((await ask(headers, 'GET', app)).statusCode).toBe(200);
  });

  it.each([
    [{}, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: 'Basic c2VjcmV0' }, 401],
    [{ authorization: 'secret' }, 401],
    [{ authorization: 'Bearer secret' }, 200],
    [{ authorization: 'bearer secret' }, 200],
  ])('%j is answered with %i', async (headers, status) => {
    const app = createApi({ ...api.options, token: 'secret' });
    const reply = await ask(headers as Record<string, string>, 'GET', app);
    expect(reply.statusCode).toBe(status);
    if (status === 401) expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  it('health is told to everybody, and nothing about other paths', async () => {
    const app = createApi({ ...api.options, token: 'secret' });
    expect((await app.inject('/api/v1/health')).statusCode).toBe(200);
    expect((await app.inject('/api/v1/nosuch')).statusCode).toBe(401);
  });
});

describe('every answer', () => {
  it.each(['/api/v1/nodes', '/api/v1/nosuch', '/', '/%zz'])(
    'at %s forbids guessing its type and framing it',
    async (url) => {
      const { headers } = await api.app.inject(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      });
    },
  );
});

describe('the server', () => {
  it('listens on this machine, on a free port if asked to', async () => {
    const server = await startApi(api.options, { port: 0 });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${server.url}/api/v1/health`)).status).toBe(200);
    await server.stop();
    await expect(fetch(`${server.url}/api/v1/health`)).rejects.toThrow();
  });

  it.each(['0.0.0.0', '::', 'example.org'])('refuses to listen on %s without a token', async (host) => {
    await expect(startApi(api.options, { host, port: 0 })).rejects.toThrow(
      `listening on ${host} lets others in`,
    );
  });

  it('refuses to listen on localhost without a token where that is the name of another address', async () => {
    const lookup = vi.spyOn(dns, 'lookup') as unknown as MockInstance<() => Promise<LookupAddress[]>>;
    lookup.mockResolvedValueOnce([
      { address: '127.0.0.1', family: 4 },
      { address: '192.0.2.7', family: 4 },
    ]);
    await expect(
      startApi(api.options, { host: 'localhost', port: 0 }).then((server) => server.stop()),
    ).rejects.toThrow('listening on localhost (192.0.2.7) lets others in');
    lookup.mockRestore();
  });

  it('listens elsewhere once it has a token', async () => {
    const server = await startApi({ ...api.options, token: 'secret' }, { host: '0.0.0.0', port: 0 });
    await server.stop();
  });

  it('waits for the head of a request 15 s, and for all of it a minute', async () => {
    expect(api.app.server).toMatchObject({ headersTimeout: 15_000, requestTimeout: 60_000 });
  });

  it('says when its port is taken', async () => {
    const server = await startApi(api.options, { port: 0 });
    const port = Number(new URL(server.url).port);
    await expect(startApi(api.options, { port })).rejects.toThrow(`port ${port} is taken`);
    await server.stop();
  });

  it('stops while somebody follows a log', async () => {
    await api.publish('name: w\ntasks: [{name: a, type: shell}]');
    const { id } = (await api.post('/runs', { workflow: 'w' })).body;
    await api.hand.claim();
    await api.hand.enqueue(id, 0);
    const server = await startApi(api.options, { port: 0 });
    const looks = vi.spyOn(api.store, 'readAttempt');
    const asked = request(`${server.url}/api/v1/attempts/${id}.a.1/log?follow=true`).end();
    const cut = once(asked, 'error').catch((error) => [error]);
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(1);
    await server.stop();
    expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' });
  });
});
