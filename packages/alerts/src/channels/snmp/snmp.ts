/** SNMP traps, version 2c and 3. `mib/ORRERY-MIB.txt` describes them; traps are not acknowledged. */
import { createSocket } from 'node:dgram';
import { z } from 'zod';
import { channelKind, type Outgoing, type SendAnswer } from '../../channel.ts';
import { cutBytes, withoutControls } from '../../text.ts';
import { gauge, integer, octets, oid, sequence, timeTicks, trapPdu } from './ber.ts';
import { authProtocols, type SnmpUser, securedMessage } from './secured.ts';

/** The root of the MIB. */
const MIB = '1.3.6.1.4.1.32473.1';
const NOTIFICATIONS = { alert: 1, cleared: 2, test: 3 } as const;
const SEVERITIES = { resolved: 1, info: 2, warning: 3, error: 4, critical: 5 } as const;
/** Of a text in a trap, in bytes: all of them together stay below what one packet carries. */
const MOST_TEXT = 255;

const place = {
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(162),
};
const password = z.string().min(8).describe('At least 8 characters.');

export const snmp = channelKind({
  schema: z.discriminatedUnion('version', [
    z.strictObject({ version: z.literal('2c'), ...place, community: z.string().min(1) }),
    z.strictObject({
      version: z.literal('3'),
      ...place,
      user: z.string().min(1).max(32),
      auth: z.enum(authProtocols).default('sha256'),
      authPassword: password.optional(),
      privacyPassword: password.optional().describe('Encrypts with AES-128; needs `authPassword`.'),
      engineId: z
        .string()
        .regex(/^(?:[0-9a-fA-F]{2}){5,32}$/, { error: 'must be 5 to 32 bytes in hexadecimal' })
        .default('80007ed9046f7272657279')
        .describe('The receiver must know it: `createUser -e 0x…`.'),
    }),
  ]),
  // A community travels in the clear: it is no secret.
  secrets: ['authPassword', 'privacyPassword'],
  async send(settings, outgoing, { now, timeout }) {
    const pdu = pduOf(outgoing, now());
    if (settings.version === '2c') {
      const message = sequence(integer(1), octets(settings.community), pdu);
      return await sendPacket(message, settings, timeout);
    }
    const { user, auth, authPassword, privacyPassword, engineId } = settings;
    if (privacyPassword !== undefined && authPassword === undefined)
      return { state: 'refused', answer: 'privacyPassword needs authPassword' };
    const sender: SnmpUser = {
      engineId: Buffer.from(engineId, 'hex'),
      user,
      ...(authPassword === undefined ? {} : { auth: { protocol: auth, password: authPassword } }),
      ...(privacyPassword === undefined ? {} : { privacy: { password: privacyPassword } }),
    };
    return await sendPacket(securedMessage(sender, pdu, now()), settings, timeout);
  },
});

function pduOf({ text, id, thread }: Outgoing, now: number): Buffer {
  const { title, lines, link, severity, reason, count, since, subjects } = text;
  const [first] = subjects;
  const kind = reason === 'test' ? 'test' : reason === 'resolve' ? 'cleared' : 'alert';
  const words = (value: string) => octets(cutBytes(withoutControls(value).replaceAll('\n', ' '), MOST_TEXT));
  const objects = [
    words(id),
    words(thread),
    words(first?.kind ?? 'test'),
    integer(SEVERITIES[severity]),
    octets(dateAndTime(since)),
    words(first?.project ?? ''),
    words(first?.name ?? ''),
    gauge((first?.run ?? 0) % 2 ** 32),
    gauge(count),
    words([title, ...lines].join(': ')),
    words(link ?? ''),
  ].map((value, k) => sequence(oid(`${MIB}.1.${k + 1}.0`), value));
  const upTime = timeTicks(Math.floor(now / 10));
  return trapPdu(
    integer(requestId(id)),
    integer(0),
    integer(0),
    sequence(
      sequence(oid('1.3.6.1.2.1.1.3.0'), upTime),
      sequence(oid('1.3.6.1.6.3.1.1.4.1.0'), oid(`${MIB}.0.${NOTIFICATIONS[kind]}`)),
      ...objects,
    ),
  );
}

/** The same for every try of a message. */
function requestId(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0) % 2 ** 31;
}

/** The textual convention of that name, in UTC. */
function dateAndTime(at: number): Buffer {
  const time = new Date(at);
  const bytes = Buffer.alloc(11);
  bytes.writeUInt16BE(time.getUTCFullYear(), 0);
  bytes.set(
    [
      time.getUTCMonth() + 1,
      time.getUTCDate(),
      time.getUTCHours(),
      time.getUTCMinutes(),
      time.getUTCSeconds(),
      Math.floor(time.getUTCMilliseconds() / 100),
      '+'.charCodeAt(0),
    ],
    2,
  );
  return bytes;
}

async function sendPacket(
  packet: Buffer,
  { host, port }: { readonly host: string; readonly port: number },
  timeout: number,
): Promise<SendAnswer> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    return await new Promise<SendAnswer>((resolve) => {
      const again = (answer: string) => resolve({ state: 'again', answer });
      const timer = setTimeout(() => again(`${host} was not found within ${timeout} ms`), timeout);
      socket.once('error', ({ message }) => again(message));
      socket.send(packet, port, host, (error) => {
        clearTimeout(timer);
        if (error) again(error.message);
        else resolve({ state: 'sent', answer: `${packet.length} bytes sent; nobody acknowledges a trap` });
      });
    });
  } finally {
    socket.close();
  }
}
