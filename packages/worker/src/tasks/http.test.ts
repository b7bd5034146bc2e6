import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseWorkflowFile } from '@orrery/core/model';
import { afterEach, describe, expect, it } from 'vitest';
import { taskTypes } from '../plugin/registry.ts';
import { eventually } from '../testing/eventually.ts';
import { own, start } from '../testing/test-worker.ts';
import { httpTask } from './http.ts';
import { createGate } from './http-address.ts';
import { httpSettings } from './http-settings.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A real server; where it is. */
async function serve(handler: Handler, server = createServer()): Promise<string> {
  server.on('request', handler);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answerWith =
  (status: number, body = '', headers = {}): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Runs an attempt of an `http` task on a worker that may reach this machine. */
async function run(settings: object, more: { httpAllow?: string[] } = {}) {
  const { run } = await start({ httpAllow: ['127.0.0.0/8'], ...more });
  return run({ type: 'http', with: settings });
}

describe('an http task', () => {
  it('sends what it is told to, and hands on what it picks', async () => {
    const seen: object[] = [];
    const url = await serve(async (request, response) => {
      const { method, url, headers } = request;
      seen.push({
        method,
        url,
        type: headers['content-type'],
        key: headers['x-key'],
        body: await text(request),
      });
      response.end(JSON.stringify({ data: { id: 7, 'a/b': ['x', 'y'] } }));
    });
    const { outcome, log } = await run({
      url: `${url}/things?a=1`,
      method: 'POST',
      headers: { 'X-Key': 'k' },
      query: { b: ['2', 3] },
      json: { name: 'ü' },
      outputs: { id: '/data/id', second: '/data/a~1b/1' },
    });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/things?a=1&b=2&b=3',
        type: 'application/json',
        key: 'k',
        body: '{"name":"ü"}',
      },
    ]);
    expect(outcome).toMatchObject({ state: 'success', outputs: { status: '200', id: '7', second: 'y' } });
    expect(own(log)).toEqual([
      `POST ${url}/things?…`,
      expect.stringMatching(/^answered with 200, \d+ bytes$/),
    ]);
  });

  it.each([
    [{ body: 'plain' }, 'text/plain; charset=utf-8', 'plain'],
    [{ form: { a: 'b c', d: 1 } }, 'application/x-www-form-urlencoded', 'a=b+c&d=1'],
    [{ body: '<x/>', headers: { 'Content-Type': 'text/xml' } }, 'text/xml', '<x/>'],
  ])('sends %j', async (settings, type, body) => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      seen.push(request.headers['content-type'], await text(request));
      response.end();
    });
    const { outcome } = await run({ url, method: 'PUT', ...settings });
    expect(outcome.state).toBe('success');
    expect(seen).toEqual([type, body]);
  });

  it.each([
    [204, '200-299', 'success'],
    [404, '200-299', 'failed'],
    [404, 404, 'success'],
    [500, [200, '400-499'], 'failed'],
    [410, [200, '400-499'], 'success'],
  ])('answered with %i ends, expecting %j, as %s', async (status, expected, state) => {
    const url = await serve(answerWith(status, 'why not'));
    const { outcome, log } = await run({ url, status: expected });
    expect(outcome.state).toBe(state);
    if (state === 'failed') {
      expect(outcome.error).toBe(`answered with ${status}; expected ${[expected].flat().join(', ')}`);
      expect(own(log)).toContain('why not');
    }
  });

  it('fails when the answer is too large, is not JSON, or lacks what is picked', async () => {
    const url = await serve(answerWith(200, 'x'.repeat(5_000)));
    expect((await run({ url, maxResponse: 1_000 })).outcome.error).toContain('larger than 1000 bytes');
    expect((await run({ url, outputs: { a: '/a' } })).outcome.error).toBe('outputs: the answer is not JSON');
    const other = await serve(answerWith(200, '{"a":null}'));
    expect((await run({ url: other, outputs: { a: '/a' } })).outcome.error).toContain('nothing at "/a"');
  });

  it('fails when the answer is late, or nobody accepts a connection', async () => {
    const url = await serve((_request, response) => {
      response.write('the beginning');
    });
    expect((await run({ url, timeout: 100 })).outcome.error).toBe('no whole answer within 100 ms (timeout)');
    const { outcome } = await run({ url: 'http://127.0.0.1:1' });
    expect(outcome.error).toContain('ECONNREFUSED');
  });

  it('gives up on a host that does not finish connecting', async () => {
    // Takes the connection and then says nothing, so that TLS never stands.
    const silent = createSocketServer();
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    closing.push(() => silent.close());
    silent.on('connection', (socket) => closing.push(() => socket.destroy()));
    const { port } = silent.address() as AddressInfo;
    const { outcome } = await run({ url: `https://127.0.0.1:${port}`, connectTimeout: 100 });
    expect(outcome.error).toContain('did not accept a connection within 100 ms');
  });

  it('ends at once when it is killed', async () => {
    let gone = false;
    const asked = Promise.withResolvers<void>();
    const url = await serve((request) => {
      request.socket.on('close', () => {
        gone = true;
      });
      asked.resolve();
    });
    const { master, run } = await start({ httpAllow: ['127.0.0.1'] });
    const attempt = { run: 900_777, task: 1, shard: -1, number: 1 };
    const ending = run({ type: 'http', with: { url }, attempt });
    await asked.promise;
    master.kill(attempt);
    expect((await ending).outcome.state).toBe('killed');
    await eventually('the connection is closed', () => gone || undefined);
  });
});

describe('redirects', () => {
  it('are followed on the same host, with the method that the status asks for', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (request.url === '/b') response.writeHead(307, { location: 'c' }).end();
      else response.end();
    });
    expect((await run({ url: `${url}/a`, method: 'POST', json: {} })).outcome.state).toBe('success');
    expect(seen).toEqual(['POST /a application/json', 'GET /b undefined', 'GET /c undefined']);
  });

  it('to another host are followed only if that is allowed, without what was for the first', async () => {
    const seen: unknown[] = [];
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-other']);
      response.end();
    });
    const url = await serve(answerWith(302, '', { location: second }));
    const headers = { authorization: 'Bearer secret', 'x-other': 'o' };
    const refused = await run({ url, headers });
    expect(refused.outcome.error).toContain('redirected to another host');
    expect((await run({ url, headers, redirects: 'any' })).outcome.state).toBe('success');
    expect(seen).toEqual([undefined, 'o']);
    expect((await run({ url, redirects: 'none', status: 302 })).outcome.state).toBe('success');
  });

  it('do not go on for ever, nor to addresses of the inside', async () => {
    const circle = await serve(answerWith(302, '', { location: '/' }));
    expect((await run({ url: circle })).outcome.error).toContain('more than 5 times');
    const inside = await serve(answerWith(302, '', { location: 'http://169.254.169.254/latest/meta-data' }));
    const { outcome } = await run({ url: inside, redirects: 'any' });
    expect(outcome).toMatchObject({ state: 'failed', error: expect.stringContaining('169.254.169.254') });
  });
});

describe('addresses', () => {
  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://[::ffff:7f00:1]:1/',
    'http://0x7f.1:1/',
    'http://2130706433:1/',
    'http://0:1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/machine',
    'http://[::ffff:0:7f00:1]/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
  ])('of the inside are refused: %s', async (url) => {
    const { outcome } = await run({ url, timeout: 5_000 }, { httpAllow: [] });
    expect(outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: expect.stringContaining('is not an address of the internet'),
    });
  });

  it('are judged where the connection is made, whatever the name was before', async () => {
    const ask = (gate: ReturnType<typeof createGate>, host: string) =>
      new Promise((resolve) => {
        gate.lookup(host, { all: true }, (error, found) => resolve(error?.message ?? found));
      });
    expect(await ask(createGate([]), 'localhost')).toContain('which is not an address of the internet');
    expect(await ask(createGate(['localhost']), 'LOCALHOST')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) }),
      ]),
    );
    expect(await ask(createGate(['127.0.0.1']), 'localhost')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  it('of the internet pass', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '[2606:4700::1111]'])
      expect(() => createGate([]).check(address)).not.toThrow();
  });

  it('are allowed as the operator writes them, or it is said what is wrong', () => {
    expect(() => createGate(['10.0.0.0/8']).check('10.2.3.4')).not.toThrow();
    expect(() => createGate(['fd00::/8']).check('[fd12::1]')).not.toThrow();
    expect(() => createGate(['10.0.0.0/40'])).toThrow('"10.0.0.0/40" is not a range of addresses');
  });
});

/** Signed by itself, so trusted by nobody; the key is good for nothing else. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRTzsbRSnlh0x+rko
Z98xYZoiNumF+VeeXchGoXULxSChRANCAASR5mMOjBvQTeWPxRCJDXYKa9Dh0U0q
mokdYEwKjMkbLe0K7ED7387K6qr/OuKxXqasxI3zIUd3ngZbFRJsyHCp
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUWnubSFQ0maB5fYWoAZDstWiwMv0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTExNTExMDQ1MloYDzIxMjYxMDIy
MTEwNDUyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASR5mMOjBvQTeWPxRCJDXYKa9Dh0U0qmokdYEwKjMkbLe0K7ED7387K
6qr/OuKxXqasxI3zIUd3ngZbFRJsyHCpo2QwYjAdBgNVHQ4EFgQU4wNY46uBWHXN
xHrUTGGfI1NJdm4wHwYDVR0jBBgwFoAU4wNY46uBWHXNxHrUTGGfI1NJdm4wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQCIahR0x1rtIDTgPSKUsQ9hu8nYxfW0BWDyzv5E00fdjgIgCA5tlRPKh1gWMD0s
tsTGpNofOcW0dDbSb4tBBm5MjsQ=
-----END CERTIFICATE-----`;

describe('TLS', () => {
  it('is verified: a certificate that nobody vouches for is refused', async () => {
    const url = await serve(answerWith(200), createTlsServer({ key, cert }));
    const { outcome } = await run({ url: url.replace('http:', 'https:') });
    expect(outcome).toMatchObject({ state: 'failed', error: expect.stringMatching(/self.signed/) });
  });
});

describe('settings', () => {
  it.each([
    [{}, 'url'],
    [{ url: 'file:///etc/passwd' }, 'must be an http or https address'],
    [{ url: 'http://x', body: 'a', json: 1 }, 'give at most one of'],
    [{ url: 'http://x', status: 'ok' }, 'a range such as "200-299"'],
    [{ url: 'http://x', outputs: { a: 'data' } }, 'must be a JSON pointer'],
    [{ url: 'http://x', verify: false }, 'verify'],
  ])('%j are refused', (settings, message) => {
    expect(JSON.stringify(httpSettings.safeParse(settings).error?.issues)).toContain(
      JSON.stringify(message).slice(1, -1),
    );
  });

  it.each([
    [
      'ftp://files.example/x',
      ['"ftp://files.example/x" is not accepted here: Where to ask: an http or https address.'],
    ],
    ['files.example/x', [expect.stringContaining('is not accepted here')]],
    ['HTTPS://files.example/x', []],
    ['${place}/x', []],
  ])('refuse %s when the workflow is published', (url, expected) => {
    const types = taskTypes(new Map([['http', httpTask([])]])).map(({ name, schema }) => ({
      name,
      schema: schema as object,
    }));
    const text = `name: w\nparams: {place: x}\ntasks: [{name: a, type: http, with: {url: "${url}"}}]`;
    const { problems } = parseWorkflowFile(text, { taskTypes: types });
    expect(problems.map(({ message }) => message)).toEqual(expected);
  });
});
