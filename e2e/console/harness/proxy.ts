/** A proxy before a server whose streams of events a test can cut, and only those: everything else goes on. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A way to the server that has its faults. */
export interface FaultyWay {
  readonly url: string;
  /** Ends the streams that are open, and every one that is opened until they are mended. */
  cutStreams(): void;
  mendStreams(): void;
  stop(): Promise<void>;
}

/** Starts one before the server at this address. */
export async function startProxy(server: string): Promise<FaultyWay> {
  const streams = new Set<ServerResponse>();
  let cut = false;
  const proxy = createServer((incoming, answer) => {
    const isStream = incoming.url?.startsWith('/api/v1/events') ?? false;
    if (isStream && cut) return void answer.destroy();
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, server), { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => {
      streams.delete(answer);
      outgoing.destroy();
    });
    if (isStream) streams.add(answer);
    incoming.pipe(outgoing);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cutStreams() {
      cut = true;
      for (const stream of streams) stream.destroy();
    },
    mendStreams() {
      cut = false;
    },
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
