/** SNMP traps to Debian's snmptrapd. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deliverySender } from '../../sender.ts';
import { delivery, hostile, NOW } from '../../testing/delivery.ts';

const ENGINE = '80007ed9046f7272657279';
const OBJECTS = '.1.3.6.1.4.1.32473.1.1';
const folder = mkdtempSync(join(tmpdir(), 'snmp-'));
let receiver: ChildProcess;
let port: number;
let said = '';
let clock = NOW;

beforeAll(async () => {
  port = await freePort();
  const users = [
    `createUser -e 0x${ENGINE} strong SHA-256 auth-pass AES privacy-pass`,
    `createUser -e 0x${ENGINE} long SHA-512 auth-pass`,
    `createUser -e 0x${ENGINE} old MD5 auth-pass AES privacy-pass`,
  ];
  const allowed = ['strong', 'long', 'old'].map(
    (user) => `authUser log ${user} ${user === 'long' ? 'auth' : 'priv'}`,
  );
  const file = join(folder, 'snmptrapd.conf');
  writeFileSync(file, ['authCommunity log public', ...users, ...allowed, ''].join('\n'));
  receiver = spawn('snmptrapd', ['-f', '-Lo', '-On', '-m', '', '-C', '-c', file, `udp:127.0.0.1:${port}`], {
    env: { ...process.env, SNMP_PERSISTENT_DIR: folder },
  });
  for (const stream of [receiver.stdout, receiver.stderr])
    stream?.on('data', (data: Buffer) => {
      said += data;
    });
  await vi.waitFor(() => expect(said).toContain('NET-SNMP version'), { timeout: 30_000 });
});
afterAll(async () => {
  receiver.kill();
  await once(receiver, 'exit');
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: found } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return found;
}

const passwords: Record<string, string> = { auth: 'auth-pass', privacy: 'privacy-pass', community: 'public' };
const send = deliverySender({
  now: () => clock,
  console: 'https://orrery.example',
  readSecret: async (name) => passwords[name],
});

/** Waits for a text, printed since the last call. */
async function printed(text: string): Promise<string> {
  await vi.waitFor(() => expect(said).toContain(text), { timeout: 30_000 });
  const all = said;
  said = '';
  return all;
}

const secured = (user: string, more: object = {}) => ({
  version: '3',
  host: '127.0.0.1',
  port,
  user,
  authPassword: '${secret.auth}',
  privacyPassword: '${secret.privacy}',
  ...more,
});

describe('a trap', () => {
  it('of version 2c carries the alert, and its end another trap', async () => {
    const settings = { version: '2c', host: '127.0.0.1', port, community: '${secret.community}' };
    expect(await send(delivery('snmp', settings))).toMatchObject({ state: 'sent' });
    const text = await printed('orrery.example/runs/7');
    expect(text).toContain('.1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.4.1.32473.1.0.1');
    expect(text).toContain(`${OBJECTS}.1.0 = STRING: "orrery-c0ffee-5"`);
    expect(text).toContain(`${OBJECTS}.3.0 = STRING: "run-failed"`);
    expect(text).toContain(`${OBJECTS}.4.0 = INTEGER: 4`);
    expect(text).toContain(`${OBJECTS}.8.0 = Gauge32: 7`);
    expect(text).toContain('sales/orders failed: sales/orders: connection refused <db>');
    const one = delivery('snmp', settings);
    await send({ ...one, message: { ...one.message, reason: 'resolve' } });
    expect(await printed(`${OBJECTS}.11.0`)).toContain('OID: .1.3.6.1.4.1.32473.1.0.2');
  });

  it.each([
    ['strong', {}],
    ['long', { auth: 'sha512', privacyPassword: undefined }],
    ['old', { auth: 'md5' }],
  ])('of version 3 by user %s is signed and encrypted, for hours', async (user, more) => {
    for (const id of [60, 61]) {
      // A receiver drops what is 150 s older than the newest it has seen; time goes on here as it does there.
      clock += 5 * 3_600_000;
      expect(await send(delivery('snmp', secured(user, more), { id }))).toMatchObject({ state: 'sent' });
      expect(await printed(`"orrery-c0ffee-${id}"`)).toContain('sales/orders failed');
    }
  });

  it('of version 3 with a wrong password is not taken', async () => {
    passwords.wrong = 'not-the-pass';
    await send(delivery('snmp', secured('strong', { authPassword: '${secret.wrong}' }), { id: 70 }));
    await send(delivery('snmp', secured('strong'), { id: 71 }));
    expect(await printed('"orrery-c0ffee-71"')).not.toContain('orrery-c0ffee-70');
  });

  it('has no control characters, and is no longer than a packet', async () => {
    const settings = { version: '2c', host: '127.0.0.1', port, community: 'public' };
    said = '';
    const sent = await send(hostile('snmp', settings, `\u001b[2J\r\n${'界'.repeat(5_000)}`));
    expect(Number(/^\d+/.exec(sent.answer)?.[0])).toBeLessThan(1_400);
    // Printed as hexadecimal where a text is not ASCII.
    expect(await printed(`${OBJECTS}.11.0`)).not.toMatch(/\b(?:1B|0D|0A) /);
  });

  it.each([
    [{ version: '1', host: 'h', community: 'c' }, 'settings.version: '],
    [{ version: '3', host: 'h', user: 'u', authPassword: 'short' }, 'settings.authPassword: '],
    [{ version: '3', host: 'h', user: 'u', privacyPassword: 'long-enough' }, 'needs authPassword'],
  ])('by %j is refused', async (settings, problem) => {
    const result = await send(delivery('snmp', settings));
    expect(result.state).toBe('failed');
    expect(result.answer).toContain(problem);
  });
});

it('the MIB describes what is sent', () => {
  const mib = readFileSync(join(import.meta.dirname, '..', '..', '..', 'mib', 'ORRERY-MIB.txt'), 'utf8');
  const numbers = [...mib.matchAll(/::= \{ orreryObjects (\d+) \}/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(mib).toContain('::= { enterprises 32473 1 }');
  expect(mib).toContain('cleared(1), info(2), warning(3), error(4), critical(5)');
});
