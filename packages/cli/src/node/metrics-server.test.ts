import { once } from 'node:events';
import { request } from 'node:http';
import { Metrics } from '@orrery/api';
import { afterEach, expect, it } from 'vitest';
import { machineClock } from './machine-clock.ts';
import { serveMetrics } from './metrics-server.ts';

const metrics = new Metrics({ clock: machineClock, worker: () => ({ slots: 4, used: 1 }) });
let problem: string | undefined;
const health = async () => [
  { name: 'store' as const, problem },
  { name: 'master' as const, problem: 'no master is alive' },
];
let server: Awaited<ReturnType<typeof serveMetrics>>;
afterEach(async () => {
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow();
});

/** The status of an answer to these headers, which `fetch` would not send. */
async function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  const asked = request(server.url.replace('0.0.0.0', '127.0.0.1'), { headers }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  return answer.statusCode;
}

it('tells metrics at an address of their own, and nothing else', async () => {
  server = await serveMetrics({ host: '127.0.0.1', port: 0 }, metrics, health);
  const answer = await fetch(server.url);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('orrery_worker_slots 4');
  expect((await fetch(server.url.replace('/metrics', '/'))).status).toBe(404);
});

it('on loopback answers requests of this machine only', async () => {
  server = await serveMetrics({ host: '127.0.0.1', port: 0 }, metrics, health);
  expect(await statusFor({ host: 'localhost:8080' })).toBe(200);
  expect(await statusFor({ host: 'evil.example' })).toBe(421);
  expect(await statusFor({ 'x-forwarded-for': '10.0.0.7' })).toBe(403);
});

it('on other addresses answers everybody', async () => {
  server = await serveMetrics({ host: '0.0.0.0', port: 0 }, metrics, health);
  expect(await statusFor({ host: 'worker.internal' })).toBe(200);
});

it('tells the health of each part, and whether this process is ready', async () => {
  server = await serveMetrics({ host: '127.0.0.1', port: 0 }, metrics, health);
  const ask = async (path: string) => {
    const answer = await fetch(server.url.replace('/metrics', path));
    return [answer.status, await answer.json()];
  };
  expect(await ask('/health')).toEqual([
    503,
    { status: 'failing', parts: { store: 'ok', master: 'no master is alive' } },
  ]);
  expect(await ask('/ready')).toEqual([200, { status: 'ok', parts: { store: 'ok' } }]);
  problem = 'the database does not answer';
  expect(await ask('/ready')).toEqual([503, { status: 'failing', parts: { store: problem } }]);
});
