import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { NotFound, StoreAway } from '@orrery/store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from './listen.ts';
import { createApi } from './server.ts';
import { type TestApi, testApi } from './testing.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  await api.app.close();
  await api.store.close();
});

describe('errors', () => {
  it('that nobody foresaw are told to the operator, and not to the caller', async () => {
    const store = { ...api.store, listNodes: () => Promise.reject(new Error('secret detail')) };
    const defects: unknown[] = [];
    const app = createApi({ ...api.options, store, onDefect: (error, id) => defects.push([error, id]) });
    const reply = await app.inject('/api/v1/nodes');
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain('secret detail');
    expect(reply.body).not.toMatch(/\bat .*:\d+:\d+/);
    expect(defects).toEqual([[new Error('secret detail'), reply.json().requestId]]);
    expect(reply.headers['x-request-id']).toBe(reply.json().requestId);
  });

  it.each([
    [new StoreAway('the database cannot write: disk full', false), 503],
    [new NotFound('there is no such thing'), 404],
  ])('of the store become answers: %s', async (error, status) => {
    const store = { ...api.store, listNodes: () => Promise.reject(error) };
    const reply = await createApi({ ...api.options, store }).inject('/api/v1/nodes');
    expect([reply.statusCode, reply.json().detail]).toEqual([status, error.message]);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(api.defects).toEqual([]);
  });
});

describe('requests that make no sense', () => {
  it.each([
    [
      'a body that is no JSON',
      { payload: '{"workflow":', headers: { 'content-type': 'application/json' } },
      400,
    ],
    ['an empty JSON body', { payload: '', headers: { 'content-type': 'application/json' } }, 400],
    [
      'a prototype in JSON',
      { payload: '{"__proto__": {}}', headers: { 'content-type': 'application/json' } },
      400,
    ],
    [
      'another type',
      { payload: 'workflow=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
    ],
    ['more than 1 MB', { payload: { workflow: 'x'.repeat(1024 * 1024) } }, 413],
    ['a number', { payload: '5', headers: { 'content-type': 'application/json' } }, 422],
    ['deep nesting', { payload: { workflow: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) } }, 422],
  ])('such as %s are refused', async (_, request, status) => {
    const reply = await api.app.inject({ method: 'POST', url: '/api/v1/runs', ...request });
    expect(reply.statusCode).toBe(status);
    expect(reply.json()).toMatchObject({ status, detail: expect.any(String), requestId: expect.any(String) });
    expect(api.defects).toEqual([]);
  });

  it.each([
    ['GET', '/api/v1/%zz', 400],
    ['GET', '/api/v1/runs/%ff', 400],
    ['GET', '/api/v1/../../etc/passwd', 404],
    ['GET', '/api/v1/..%2f..%2fetc%2fpasswd', 404],
    ['GET', '/api/v2/runs', 404],
    ['DELETE', '/api/v1/runs/1', 404],
    ['GET', '/api/v1/workflows/constructor/__proto__', 404],
  ] as const)('%s %s is answered with %i', async (method, url, status) => {
    const reply = await api.app.inject({ method, url });
    expect(reply.statusCode).toBe(status);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(api.defects).toEqual([]);
  });

  it('may be long', async () => {
    expect((await api.get(`/runs/${'9'.repeat(3_000)}`)).status).toBe(400);
    expect((await api.get(`/workflows/${'x'.repeat(1_500)}/y`)).status).toBe(404);
    expect(api.defects).toEqual([]);
  });

  it('are refused on the wire too', async () => {
    const server = await startApi(api.options, { port: 0 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end('GARBAGE\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await server.stop();
  });

  it('never make the server fail, whatever the path, the query and the body', async () => {
    await api.publish('name: w\ntasks: [{name: a, type: shell}]');
    const routes = ['runs', 'why', 'task-runs', 'attempts', 'schedules', 'workflows', 'nodes'];
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('1', '1.a', '1.a.1', 'log', 'ticks', 'stop'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.array(piece, { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('limit', 'before', 'follow', 'state', 'workflow', 'x'), piece),
        fc.option(fc.jsonValue()),
        async (route, path, query, body) => {
          const url = `/api/v1/${[route, ...path.map(encodeURIComponent)].join('/')}?${new URLSearchParams(query)}`;
          const reply = await api.app.inject(
            body === null
              ? { method: 'GET', url }
              : {
                  method: 'POST',
                  url,
                  payload: JSON.stringify(body),
                  headers: { 'content-type': 'application/json' },
                },
          );
          expect(reply.statusCode).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
    expect(api.defects).toEqual([]);
  });
});
