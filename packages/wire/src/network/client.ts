/** Calls to other nodes: one connection per node, kept while in use, and checked for silence. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { limits, type NetworkOptions } from './options.ts';
import { bearing } from './security.ts';

/** A connection to one node. The first call opens it; it closes by itself once it is idle. */
interface Connection<Service extends DescService> {
  readonly client: Client<Service>;
  /** Ends the connection and all its calls at once. */
  end(): void;
}

/** Opens a separate connection; `idle` is how many milliseconds it stays open for the next call. */
export function connectTo<Service extends DescService>(
  service: Service,
  address: string,
  { tls, timeout, ...security }: NetworkOptions,
  idle: number,
): Connection<Service> {
  const baseUrl = `${tls ? 'https' : 'http'}://${address}`;
  let socket: Socket | undefined;
  const createConnection = ({ hostname, port }: URL): Socket => {
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80) };
    const servername = isIP(place.host) ? '' : place.host;
    socket = tls
      ? connectTls({ ...place, ...tls.own, servername, ca: tls.ca, ALPNProtocols: ['h2'] })
      : connectPlain(place);
    return socket.setNoDelay();
  };
  const sessionManager = new Http2SessionManager(
    baseUrl,
    { pingIntervalMs: timeout / 3, pingTimeoutMs: (2 * timeout) / 3, idleConnectionTimeoutMs: idle },
    { createConnection },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager,
    ...limits,
    interceptors: bearing(security),
  });
  return {
    client: createClient(service, transport),
    end() {
      // An open session must not be aborted: an error that is about to be emitted would find no listener and
      // end the process. Nor is it enough to end its streams: one that the server ended first stays half
      // open.
      if (sessionManager.state() === 'connecting') sessionManager.abort();
      socket?.destroy();
    },
  };
}

/** Connection limit; the least recently used one is closed first. */
const MOST_CONNECTIONS = 64;

/** How long a connection stays open for the next call, in milliseconds. */
const IDLE = 60_000;

/** A pool of connections to nodes. */
export class Connections<Service extends DescService> {
  private readonly service: Service;
  private readonly options: NetworkOptions;
  private readonly open = new Map<string, Connection<Service>>();

  constructor(service: Service, options: NetworkOptions) {
    this.service = service;
    this.options = options;
  }

  /** The client for a node. */
  to(address: string): Client<Service> {
    const connection = this.open.get(address) ?? connectTo(this.service, address, this.options, IDLE);
    this.open.delete(address);
    this.open.set(address, connection);
    const [oldest] = this.open.keys();
    if (this.open.size > MOST_CONNECTIONS) this.open.delete(oldest);
    return connection.client;
  }
}
