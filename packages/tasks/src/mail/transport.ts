/** A session with a mail server, over `nodemailer`. */
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';

/** The settings of an `smtp` connection. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly security: 'none' | 'starttls' | 'tls';
  readonly user?: string;
  readonly password?: string;
  readonly from: string;
  readonly ca?: string;
}

const CONNECT_WITHIN = 15_000;

/** The used part of the transport. */
interface Transport {
  sendMail(message: object): Promise<{ accepted: string[]; rejected: string[]; messageId: string }>;
  verify(): Promise<unknown>;
  close(): void;
}

/**
 * Opens a transport, which closes with the signal. Without encryption no password is sent unless the
 * connection sets `none`.
 */
export function openTransport(settings: SmtpSettings, signal: AbortSignal): Transport {
  const { host, port, security, user, password, ca } = settings;
  let socket: Socket | undefined;
  // The transport has no way to end a session that waits for the server, so the socket is ours.
  const getSocket = (_: unknown, done: (error: Error | null, opened?: { connection: Socket }) => void) => {
    if (signal.aborted) return done(new Error('killed'));
    socket = connect({ host, port, timeout: CONNECT_WITHIN });
    socket.once('timeout', () => socket?.destroy(new Error('the server does not answer')));
    socket.once('error', done);
    socket.once('connect', () => {
      socket?.off('error', done).setTimeout(0).removeAllListeners('timeout');
      if (socket) done(null, { connection: socket });
    });
  };
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    auth: user === undefined ? undefined : { user, pass: password ?? '' },
    tls: ca === undefined ? undefined : { ca },
    connectionTimeout: CONNECT_WITHIN,
    greetingTimeout: CONNECT_WITHIN,
    socketTimeout: 60_000,
    getSocket,
  } as Parameters<typeof createTransport>[0]) as unknown as Transport;
  signal.addEventListener('abort', () => socket?.destroy(new Error('killed')), { once: true });
  return transport;
}
