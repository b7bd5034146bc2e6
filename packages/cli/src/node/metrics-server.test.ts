import { Metrics } from '@orrery/api';
import { expect, it } from 'vitest';
import { machineClock } from './machine-clock.ts';
import { serveMetrics } from './metrics-server.ts';

it('tells metrics at an address of their own, and nothing else', async () => {
  const metrics = new Metrics({ clock: machineClock, worker: () => ({ slots: 4, used: 1 }) });
  const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, metrics);
  const answer = await fetch(server.url);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('orrery_worker_slots 4');
  expect((await fetch(server.url.replace('/metrics', '/'))).status).toBe(404);
  await server.stop();
  await expect(fetch(server.url)).rejects.toThrow();
});
