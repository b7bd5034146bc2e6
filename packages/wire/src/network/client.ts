/** Calls to other nodes: a connection each, kept while it is used, and noticed when it goes silent. */
import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { limits, type NetworkOptions } from './options.ts';
import { bearing } from './security.ts';

/** A connection to one node, opened by the first call; it closes by itself once nothing is under way on it. */
interface Connection<Service extends DescService> {
  readonly client: Client<Service>;
  /** Gives up the attempt to connect, if it is still under way. */
  giveUp(): void;
}

/** A connection of its own; `idle` says how many milliseconds it stays open for the next call. */
export function connectTo<Service extends DescService>(
  service: Service,
  address: string,
  { tls, timeout, ...security }: NetworkOptions,
  idle: number,
): Connection<Service> {
  const baseUrl = `${tls ? 'https' : 'http'}://${address}`;
  const sessionManager = new Http2SessionManager(
    baseUrl,
    { pingIntervalMs: timeout / 3, pingTimeoutMs: (2 * timeout) / 3, idleConnectionTimeoutMs: idle },
    tls && { ca: tls.ca },
  );
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager,
    ...limits,
    interceptors: bearing(security),
  });
  return {
    client: createClient(service, transport),
    giveUp() {
      // Never later: to abort a connection that is failing just then lets its error go unheard, which ends the process.
      if (sessionManager.state() === 'connecting') sessionManager.abort();
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
