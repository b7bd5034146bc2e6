/**
 * Audit entries as syslog messages (RFC 5424): over UDP, or over TCP and stream sockets with length framing
 * (RFC 6587), which detect an unreachable receiver.
 */
import { createSocket } from 'node:dgram';
import { createConnection } from 'node:net';
import type { AuditRow } from '@orrery/store';
import type { SyslogTarget } from './syslog-target.ts';

/** Facility 13 is log audit; severity 5 is notice, 4 warning. */
const NOTICE = 13 * 8 + 5;
const WARNING = 13 * 8 + 4;

/** Bytes of one message: a datagram has no room for many more. */
const MOST_BYTES = 8_192;

/** How long a receiver may take. */
const PATIENCE = 10_000;

/** An entry as a message. */
export function syslogMessage(entry: AuditRow, host: string): string {
  const { id, at, actor, token, address, request, action, subject, detail } = entry;
  const priority = action === 'access.refuse' ? WARNING : NOTICE;
  const parts = Object.entries({ id, actor, token, address, request, subject })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`);
  const head = `<${priority}>1 ${new Date(at).toISOString()} ${visible(host)} orrery ${process.pid} ${visible(action)} [audit@32473 ${parts.join(' ')}]`;
  const whole = `${head} \ufeff${JSON.stringify(detail)}`;
  return Buffer.byteLength(whole) <= MOST_BYTES ? whole : Buffer.from(head).toString('utf8', 0, MOST_BYTES);
}

/** Sends messages in order; over TCP and sockets, fails where they could not be handed over. */
export async function sendSyslog(target: SyslogTarget, messages: readonly string[]): Promise<void> {
  if (target.kind === 'udp') return sendDatagrams(target, messages);
  const to = target.kind === 'unix' ? { path: target.path } : { host: target.host, port: target.port };
  const framed = messages.map((text) => `${Buffer.byteLength(text)} ${text}`).join('');
  await new Promise<void>((resolve, reject) => {
    const socket = createConnection(to);
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error('the syslog receiver does not answer')));
    socket.on('error', reject);
    // Closed by both: everything was taken.
    socket.on('close', (failed) => (failed ? undefined : resolve()));
    socket.resume();
    socket.end(framed);
  });
}

async function sendDatagrams(
  { host, port }: Extract<SyslogTarget, { host: string }>,
  messages: readonly string[],
): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    for (const text of messages)
      await new Promise<void>((resolve, reject) =>
        socket.send(text, port, host, (error) => (error ? reject(error) : resolve())),
      );
  } finally {
    socket.close();
  }
}

/** Values of structured data: these three are escaped, line ends would break what reads lines. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').replace(/["\\\]]/g, '\\$&');
}

function visible(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, 32) || '-';
}
