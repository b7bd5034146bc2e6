import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerProcess } from './server-process.ts';

const cap = 2;
const floods = 60;
const file = (tenant: string) =>
  `name: ${tenant}\ntenant: ${tenant}\ntasks: [{name: a, type: noop, with: {sleep: 20}}]\n`;

interface Limits {
  readonly all: { readonly held: number; readonly waiting: number };
}

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-caps-'));
  server = await ServerProcess.start(join(folder, 'data'));
});
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const list = async (query: string) =>
  (await server.get<{ runs: { state: string; endedAt: string | null }[] }>(`/runs?limit=1000${query}`)).runs;

/** Waits until so many runs have ended, watching that never more than the cap hold a slot. */
async function untilEnded(count: number, query = ''): Promise<void> {
  for (;;) {
    const { all } = await server.get<Limits>('/limits');
    expect(all.held).toBeLessThanOrEqual(cap);
    const found = await list(query);
    if (found.filter(({ endedAt }) => endedAt !== null).length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('a cap holds through kills, and a flood keeps nobody else waiting', { timeout: 240_000 }, async () => {
  for (const tenant of ['flood', 'quiet'])
    expect((await server.post('/workflows', file(tenant), 'application/yaml')).status).toBe(200);
  const body = JSON.stringify({ runs: cap });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${server.url}/api/v1/limits`, { method: 'PUT', headers, body })).status).toBe(200);
  const started = Array.from({ length: floods }, () => server.post('/runs', '{"workflow":"flood"}'));
  expect((await Promise.all(started)).every(({ status }) => status === 202)).toBe(true);
  expect((await server.post('/runs', '{"workflow":"quiet"}')).status).toBe(202);
  await untilEnded(1, '&workflow=quiet');
  expect((await list('&workflow=flood')).some(({ endedAt }) => endedAt === null)).toBe(true);
  for (const ended of [10, 25]) {
    await untilEnded(ended);
    await server.end('SIGKILL');
    server = await ServerProcess.start(join(folder, 'data'));
  }
  await untilEnded(floods + 1);
  expect(new Set((await list('')).map(({ state }) => state))).toEqual(new Set(['success']));
  expect((await server.get<Limits>('/limits')).all).toMatchObject({ held: 0, waiting: 0 });
});
