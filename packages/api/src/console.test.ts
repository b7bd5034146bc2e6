import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from './server.ts';
import { type TestApi, testApi } from './testing.ts';

let api: TestApi;
let parent: string;
let folder: string;
let apps: FastifyInstance[];
beforeEach(async () => {
  api = await testApi();
  apps = [];
  parent = mkdtempSync(join(tmpdir(), 'orrery-console-'));
  folder = join(parent, 'built');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<head><base href="/" /></head>the console');
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  const script = 'console.log("x")'.repeat(200);
  writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script));
  writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script));
  writeFileSync(join(parent, 'outside.js'), 'secret');
});
afterEach(async () => {
  for (const app of apps) await app.close();
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
  rmSync(parent, { recursive: true });
});

function serve(more: object = {}): FastifyInstance {
  const app = createApi({ ...api.options, console: folder, ...more });
  apps.push(app);
  return app;
}

describe('the console', () => {
  it.each(['/', '/runs', '/runs/12?view=graph', '/workflows/etl/daily.orders', '/login'])(
    'is the page at %s, with a policy that allows its own scripts alone',
    async (url) => {
      const reply = await serve().inject(url);
      expect(reply.body).toContain('the console');
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      });
      const policy = String(reply.headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toMatch(/style-src 'self' 'sha256-[\w+/]+=*';/);
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("frame-ancestors 'none'");
    },
  );

  it('is read by everybody, so that they can sign in', async () => {
    const app = serve({ token: 'secret' });
    expect((await app.inject('/login')).statusCode).toBe(200);
    expect((await app.inject('/assets/index-abc.js')).statusCode).toBe(200);
    expect((await app.inject('/api/v1/runs')).statusCode).toBe(401);
  });

  it('has an etag that changes with it', async () => {
    const app = serve();
    const first = await app.inject('/');
    const etag = String(first.headers.etag);
    const asked = () => app.inject({ url: '/', headers: { 'if-none-match': etag } });
    expect((await asked()).statusCode).toBe(304);
    writeFileSync(join(folder, 'index.html'), 'another');
    utimesSync(join(folder, 'index.html'), new Date(), new Date(1));
    expect((await asked()).body).toBe('another');
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['', undefined],
  ])('has files for those who accept "%s"', async (accepted, encoding) => {
    const reply = await serve().inject({
      url: '/assets/index-abc.js',
      headers: { 'accept-encoding': accepted },
    });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-encoding']).toBe(encoding);
    expect(reply.headers['content-type']).toMatch(/javascript/);
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(reply.headers.etag).toBeDefined();
  });

  it('lets files without a hash be asked for again', async () => {
    expect((await serve().inject('/icon.svg')).headers['cache-control']).toBe('public, max-age=0');
  });

  it.each([
    '/assets/gone.js',
    '/api',
    '/api/v2/runs',
    '/api/v1/nosuch',
    '/../outside.js',
    '/%2e%2e/outside.js',
    '/assets/..%2f..%2foutside.js',
  ])('is not what %s is answered with, nor is anything outside its folder', async (url) => {
    const reply = await serve().inject(url);
    expect([400, 403, 404]).toContain(reply.statusCode);
    expect(reply.body).not.toContain('the console');
    expect(reply.body).not.toContain('secret');
  });
});

describe('under a base path', () => {
  it.each(['/orrery', '/orrery/', '/orrery/runs/12', '/runs/12'])(
    'the page at %s says where it is',
    async (url) => {
      const reply = await serve({ basePath: '/orrery' }).inject(url);
      expect(reply.body).toContain('<base href="/orrery/" />');
    },
  );

  it('the API and the files are found too', async () => {
    const app = serve({ basePath: '/orrery' });
    expect((await app.inject('/orrery/api/v1/health')).statusCode).toBe(200);
    expect((await app.inject('/orrery/assets/index-abc.js')).statusCode).toBe(200);
  });
});

describe('a console that is still being built', () => {
  it('is waited for by a page that reloads itself', async () => {
    let place: string | undefined;
    const app = serve({ console: () => place });
    const waiting = await app.inject('/runs');
    expect(waiting.statusCode).toBe(503);
    expect(waiting.body).toContain('http-equiv="refresh"');
    // Else a browser asks for one, and is refused once the console is there.
    expect(waiting.body).toContain('<link rel="icon" href="data:,">');
    const [, style] = /<style>(.*)<\/style>/.exec(waiting.body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(waiting.headers['content-security-policy']).toContain(`'sha256-${hash}'`);
    expect(waiting.body).not.toContain('style=');
    place = join(folder, 'not-yet');
    expect((await app.inject('/runs')).body).toContain('http-equiv="refresh"');
    place = folder;
    expect((await app.inject('/runs')).body).toContain('the console');
  });
});
