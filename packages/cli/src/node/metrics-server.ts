/**
 * Metrics of a process that has no API, at an address of their own. Everyone who reaches it may read them; on
 * loopback that is this machine only.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localRefusal, type Metrics } from '@orrery/api';
import { problemKinds } from '@orrery/core/contract';
import { type Address, addressText, isLoopback } from '@orrery/wire/address';

/** Listens. */
export async function serveMetrics(
  { host, port }: Address,
  metrics: Metrics,
): Promise<{ url: string; stop(): Promise<void> }> {
  const local = isLoopback(host);
  const server = createServer(async (request, response) => {
    const { method, url } = request;
    const refusal = local ? localRefusal(request) : undefined;
    if (refusal) {
      const [status] = problemKinds[refusal.kind];
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${refusal.message}\n`);
      return;
    }
    if (method !== 'GET' || url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('only GET /metrics is answered here\n');
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    } catch (error) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end(`${(error as Error).message}\n`);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  const chosen = (server.address() as AddressInfo).port;
  return {
    url: `http://${addressText({ host, port: chosen })}/metrics`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
