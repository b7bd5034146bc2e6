/** One connection to one etcd member: gRPC calls and streams. Ending it fails every call in flight. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { RegistryError } from '../errors.ts';
import { Auth, KV, Lease, Watch } from '../generated/etcd/api_pb.ts';
import type { TlsOptions } from '../options.ts';
import { unaryCalls } from './unary.ts';

export interface EtcdConnection {
  readonly address: string;
  readonly kv: Client<typeof KV>;
  readonly lease: Client<typeof Lease>;
  readonly watch: Client<typeof Watch>;
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Opens a connection on first use. With a user, signs in first. */
export async function connect(
  { host, port }: { readonly host: string; readonly port: number },
  tls: TlsOptions | undefined,
  user: { readonly name: string; readonly password: string } | undefined,
  timeoutMs: number,
): Promise<EtcdConnection> {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const baseUrl = `${tls ? 'https' : 'http'}://${name}:${port}`;
  const ended = new AbortController();
  const sockets = new Set<Socket>();
  const createConnection = (): Socket => {
    const servername = tls?.servername ?? (isIP(host) ? '' : host);
    const socket = tls
      ? connectTls({ host, port, ...tls, servername, ALPNProtocols: ['h2'] })
      : connectTcp({ host, port });
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket.setNoDelay();
  };
  // The registry's own pings check that it is alive.
  const sessionManager = new Http2SessionManager(baseUrl, {}, { createConnection });
  let token: string | undefined;
  const signIn: Interceptor = (next) => (request) => {
    if (token !== undefined) request.header.set('token', token);
    return next(request);
  };
  const credentials = (): Record<string, string> => (token === undefined ? {} : { token });
  const transport: Transport = {
    unary: unaryCalls(sessionManager, credentials),
    stream: createGrpcTransport({ baseUrl, sessionManager, interceptors: [signIn] }).stream,
  };
  const connection = {
    address: `${name}:${port}`,
    kv: createClient(KV, transport),
    lease: createClient(Lease, transport),
    watch: createClient(Watch, transport),
    signal: ended.signal,
    end() {
      ended.abort();
      if (sessionManager.state() === 'connecting') sessionManager.abort();
      for (const socket of sockets) socket.destroy();
    },
  };
  if (user) {
    try {
      const auth = createClient(Auth, transport);
      token = (await auth.authenticate(user, { timeoutMs, signal: ended.signal })).token;
    } catch (error) {
      connection.end();
      throw error;
    }
  }
  return connection;
}

/** Whether another member, or the same one later, may answer. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  return [
    Code.Unavailable,
    Code.DeadlineExceeded,
    Code.Canceled,
    Code.Aborted,
    Code.Internal,
    Code.Unknown,
  ].includes(error.code);
}

/** Whether the token is no longer valid: tokens expire, and a restart ends them. */
export function isTokenOver(error: unknown): boolean {
  return error instanceof ConnectError && /invalid auth token|auth store is old/.test(error.rawMessage);
}

/** Converts an error to the registry's own. */
export function asRegistryError(error: unknown, write: boolean): unknown {
  if (!(error instanceof ConnectError)) return error;
  const detail = error.rawMessage;
  if (isPassing(error)) return new RegistryError('away', { unknown: write, detail, cause: error });
  if (isTokenOver(error)) return new RegistryError('away', { detail, cause: error });
  if (error.code === Code.PermissionDenied || error.code === Code.Unauthenticated)
    return new RegistryError('denied', { detail, cause: error });
  if (/user name is empty|authentication/.test(detail))
    return new RegistryError('denied', { detail, cause: error });
  if (/too large|too many operations/.test(detail) || error.code === Code.ResourceExhausted)
    return new RegistryError('too-large', { detail, cause: error });
  return error;
}
