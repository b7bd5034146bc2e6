/**
 * The gRPC server of a node: HTTP/2, the join token checked on every call. A silent connection is ended, so
 * that nobody waits for it.
 */
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type ConnectRouter, createConnectRouter, createContextValues } from '@connectrpc/connect';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { InvalidInput } from '@orrery/core/errors';
import { type Address, addressText, isLoopback } from './address.ts';
import { limits, type NetworkOptions } from './options.ts';
import { guarding, remoteAddress, type Tls } from './security.ts';

/** A running server. */
export interface WireServer {
  /** Listening address, with the chosen port. */
  readonly address: Address;
  /** Waits a short while for ending streams, then closes all connections. */
  stop(): Promise<void>;
}

/** How long streams may take to end when the server stops, in milliseconds. */
const LAST_WORD = 1_000;

/** Starts a server. Without a join token, refuses an address that other machines can reach. */
export async function startServer(
  listen: Address,
  options: NetworkOptions,
  routes: (router: ConnectRouter) => void,
): Promise<WireServer> {
  const { tls, token } = options;
  if (!isLoopback(listen.host) && token === undefined)
    throw new InvalidInput(
      `listening on ${addressText(listen)} lets others in; give a join token first, or listen on 127.0.0.1`,
    );
  if (tls && !tls.own)
    throw new InvalidInput(`listening on ${addressText(listen)} needs a certificate and its key`);
  const handle = handler(options, routes);
  const server = tls ? createSecureServer(certificates(tls), handle) : createServer(handle);
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.setNoDelay());
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => {});
    endWhenSilent(session, options.timeout);
  });
  // A caller without TLS, or with another authority's.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    // Stays attached: a process out of file descriptors cannot accept a caller, but keeps serving the others.
    server.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? taken(listen) : error),
    );
    server.listen(listen.port, listen.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: listen.host, port },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      // Destroys the sockets too: a session destroyed while its peer is silent may leave its socket open.
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, LAST_WORD);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * With `verifyClients` a caller without a certificate of the cluster is refused before it can send anything.
 */
function certificates({ ca, own, verifyClients = false }: Tls) {
  return verifyClients ? { ...own, ca, requestCert: true, rejectUnauthorized: true } : { ...own };
}

function taken(listen: Address): InvalidInput {
  return new InvalidInput(`${addressText(listen)} is taken; stop what uses it, or choose another port`);
}

/** Handles calls. A call that breaks off is not an error: its caller is gone. */
function handler(options: NetworkOptions, routes: (router: ConnectRouter) => void) {
  const router = createConnectRouter({
    ...limits,
    interceptors: guarding(options),
    connect: false,
    grpcWeb: false,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handle) => [handle.requestPath, handle]));
  return (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const handle = handlers.get(request.url);
    if (!handle) {
      response.writeHead(404);
      response.end();
      return;
    }
    request.stream.on('error', () => {});
    const values = createContextValues().set(remoteAddress, request.socket.remoteAddress ?? '');
    handle(universalRequestFromNodeRequest(request, undefined, values))
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch(() => request.stream.destroy());
  };
}

/** Pings every third of the timeout; ends the connection after a full timeout without an answer. */
function endWhenSilent(session: ServerHttp2Session, timeout: number): void {
  let heard = performance.now();
  const timer = setInterval(() => {
    // The session is destroyed but has not emitted `close` yet: a ping would throw.
    if (session.destroyed) return;
    if (performance.now() - heard >= timeout) session.destroy(new Error(`silent for ${timeout} ms`));
    else
      session.ping((error) => {
        if (!error) heard = performance.now();
      });
  }, timeout / 3);
  session.once('close', () => clearInterval(timer));
}
