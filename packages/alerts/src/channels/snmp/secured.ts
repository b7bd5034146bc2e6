/**
 * SNMP version 3 messages by the user-based security model (RFC 3414, RFC 3826, RFC 7860). The sender of a trap is the
 * authority on its time. All masters share one engine id, so its time is that of the clock and nothing has to be stored:
 * a receiver drops a message whose time is more than 150 s behind the newest it has seen.
 */
import { createCipheriv, createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import { integer, octets, sequence } from './ber.ts';

/** Hashes by name, with the length of the signature in a message. */
const HASHES = {
  md5: { hash: 'md5', length: 12 },
  sha: { hash: 'sha1', length: 12 },
  sha224: { hash: 'sha224', length: 16 },
  sha256: { hash: 'sha256', length: 24 },
  sha384: { hash: 'sha384', length: 32 },
  sha512: { hash: 'sha512', length: 48 },
} as const;
export type AuthProtocol = keyof typeof HASHES;
export const authProtocols = Object.keys(HASHES) as AuthProtocol[];

/** The sender, and its authentication and encryption. */
export interface SnmpUser {
  readonly engineId: Buffer;
  readonly user: string;
  readonly auth?: { readonly protocol: AuthProtocol; readonly password: string };
  /** AES-128; only together with `auth`. */
  readonly privacy?: { readonly password: string };
}

const BOOTS = 1;
/** Where the engine's time begins; it lasts until 2094. */
const TIME_BEGINS = Date.UTC(2026, 0, 1);
const PASSWORD_BYTES = 1_048_576;

/** A message around a PDU. */
export function securedMessage(user: SnmpUser, pdu: Buffer, now: number): Buffer {
  const { engineId, auth, privacy } = user;
  const seconds = Math.max(0, Math.floor((now - TIME_BEGINS) / 1_000));
  const scoped = sequence(octets(engineId), octets(''), pdu);
  const sealed =
    auth && privacy ? encrypt(scoped, auth.protocol, privacy.password, engineId, seconds) : undefined;
  const build = (signature: Buffer) =>
    sequence(
      integer(3),
      sequence(
        integer(randomInt(1, 2 ** 31)),
        integer(65_507),
        octets(Buffer.from([(auth ? 1 : 0) | (sealed ? 2 : 0)])),
        integer(3),
      ),
      octets(
        sequence(
          octets(engineId),
          integer(BOOTS),
          integer(seconds),
          octets(user.user),
          octets(signature),
          octets(sealed?.salt ?? ''),
        ),
      ),
      sealed ? octets(sealed.bytes) : scoped,
    );
  return auth ? signed(build, auth, engineId) : build(Buffer.alloc(0));
}

/** The signature is over the whole message with zeros in its own place. */
function signed(
  build: (signature: Buffer) => Buffer,
  { protocol, password }: NonNullable<SnmpUser['auth']>,
  engineId: Buffer,
): Buffer {
  const { hash, length } = HASHES[protocol];
  const place = randomBytes(length);
  const message = build(place);
  const at = message.indexOf(place);
  message.fill(0, at, at + length);
  createHmac(hash, localKey(protocol, password, engineId))
    .update(message)
    .digest()
    .copy(message, at, 0, length);
  return message;
}

function encrypt(
  scoped: Buffer,
  protocol: AuthProtocol,
  password: string,
  engineId: Buffer,
  seconds: number,
) {
  const salt = randomBytes(8);
  const start = Buffer.alloc(8);
  start.writeUInt32BE(BOOTS, 0);
  start.writeUInt32BE(seconds, 4);
  const key = localKey(protocol, password, engineId).subarray(0, 16);
  const cipher = createCipheriv('aes-128-cfb', key, Buffer.concat([start, salt]));
  return { salt, bytes: Buffer.concat([cipher.update(scoped), cipher.final()]) };
}

/** The key of a password at one engine. */
function localKey(protocol: AuthProtocol, password: string, engineId: Buffer): Buffer {
  const { hash } = HASHES[protocol];
  const key = createHash(hash).update(Buffer.alloc(PASSWORD_BYTES, password)).digest();
  return createHash(hash).update(key).update(engineId).update(key).digest();
}
