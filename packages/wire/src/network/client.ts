/** Calls to other nodes: a connection each, kept while it is used, and noticed when it goes silent. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { limits, type NetworkOptions } from './options.ts';
import { bearing } from './security.ts';

/** A connection to one node, opened by the first call; it closes by itself once nothing is under way on it. */
interface Connection<Service extends DescService> {
  readonly client: Client<Service>;
  /** Ends it at once, and what is under way on it. */
  end(): void;
}

/** A connection of its own; `idle` says how many milliseconds it stays open for the next call. */
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
      // Not by `abort` once it is open: an error that just then is about to be told would be heard by nobody, which
      // ends the process. Nor by ending its streams: one that the server has ended first stays half open.
      if (sessionManager.state() === 'connecting') sessionManager.abort();
      socket?.destroy();
    },
  };
}

/** Connections that are kept at most; the one unused for longest goes first. */
const MOST_CONNECTIONS = 64;

/** How long a connection stays open for the next call. */
const IDLE = 60_000;

/** Connections to many nodes, kept for the next call. */
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
