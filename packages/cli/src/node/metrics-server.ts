/**
 * Metrics and health of a process without an API, at an address of their own. Everyone who reaches it may
 * read them; on loopback that is only this machine.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HealthPart, localRefusal, type Metrics, type OwnParts } from '@orrery/api';
import { problemKinds } from '@orrery/contract';
import { type Address, addressText, isLoopback } from '@orrery/wire/address';

/** Listens. */
export async function serveMetrics(
  { host, port }: Address,
  metrics: Metrics,
  health: OwnParts,
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
    const plain = { 'content-type': 'text/plain' };
    if (method === 'GET' && url === '/metrics') {
      const text = await metrics.text().catch((error: Error) => error);
      if (typeof text === 'string')
        response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
      else response.writeHead(500, plain).end(`${text.message}\n`);
    } else if (method === 'GET' && (url === '/health' || url === '/ready')) {
      const parts = (await health()).filter(({ name }) => name !== 'master' || url === '/health');
      const ok = parts.every(({ problem }) => problem === undefined);
      const body = { status: ok ? 'ok' : 'failing', parts: Object.fromEntries(parts.map(stateOf)) };
      response
        .writeHead(ok ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(`${JSON.stringify(body)}\n`);
    } else response.writeHead(404, plain).end('only GET /metrics, /health and /ready are answered here\n');
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

function stateOf({ name, problem }: HealthPart): [string, string] {
  return [name, problem ?? 'ok'];
}
