import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';
import { syslogMessage } from './syslog.ts';
import { readSyslogTarget } from './syslog-target.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Something that a server does, some time before now. */
async function api(target: string, notices: string[] = []): Promise<TestApi> {
  const made = await testApi({
    auditSyslog: readSyslogTarget(target),
    log: (level, message) => {
      if (level !== 'debug') notices.push(message);
    },
  });
  closing.push(
    () => made.store.close(),
    () => made.app.close(),
  );
  await made.put('/task-groups/default/db', { slots: 1 });
  made.now += 60_000;
  return made;
}

/** What a stream server was sent, as messages by their lengths. */
function receiver(): { server: Server; received: string[] } {
  const received: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('end', () => {
      while (text !== '') {
        const [length] = text.split(' ', 1);
        const from = length.length + 1;
        received.push(text.slice(from, from + Number(length)));
        text = text.slice(from + Number(length));
      }
      socket.end();
    });
  });
  closing.push(() => new Promise((closed) => server.close(closed)));
  return { server, received };
}

const entry =
  /^<109>1 2026-03-01T08:00:00\.000Z \S+ orrery \d+ task-group\.set \[audit@32473 id="\d+" actor="admin" token="0" address="127\.0\.0\.1" request="[\w-]+" subject="default\/db"\] \ufeff\{"before":null,"after":1\}$/;

describe('the audit as syslog', () => {
  it('goes over TCP, once, from where it stopped', async () => {
    const { server, received } = receiver();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as { port: number };
    const first = await api(`tcp://127.0.0.1:${port}`);
    await expect.poll(() => received).toEqual([expect.stringMatching(entry)]);
    await first.app.close();
    const second = await testApi({
      store: first.store,
      auditSyslog: readSyslogTarget(`tcp://127.0.0.1:${port}`),
    });
    closing.push(() => second.app.close());
    await second.put('/task-groups/default/other', { slots: 2 });
    second.now += 120_000;
    await expect.poll(() => received.length).toBe(2);
    expect(received[1]).toContain('subject="default/other"');
  });

  it('goes to a stream socket, and waits for one that is away', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-syslog-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'log');
    const notices: string[] = [];
    await api(`unix:${path}`, notices);
    await expect.poll(() => notices).toEqual([expect.stringContaining('cannot be sent to syslog')]);
    const { server, received } = receiver();
    await new Promise<void>((ready) => server.listen(path, ready));
    await expect.poll(() => received).toEqual([expect.stringMatching(entry)]);
    await expect.poll(() => notices.length).toBe(2);
  });

  it('goes over UDP', async () => {
    const socket = createSocket('udp4');
    closing.push(() => new Promise<void>((closed) => socket.close(closed)));
    const received: string[] = [];
    socket.on('message', (message) => received.push(message.toString()));
    await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready));
    await api(`udp://127.0.0.1:${socket.address().port}`);
    await expect.poll(() => received).toEqual([expect.stringMatching(entry)]);
  });

  it('escapes what would end a value or a line, and leaves out what is too long', () => {
    const row = {
      id: 7,
      at: 0,
      actor: 'a"]\\\n<1>forged',
      token: null,
      address: null,
      request: null,
      action: 'access.refuse',
      subject: 's',
      detail: { text: 'x' },
    };
    expect(syslogMessage(row, 'a host')).toMatch(
      /^<108>1 1970-01-01T00:00:00\.000Z a_host orrery \d+ access\.refuse \[audit@32473 id="7" actor="a\\"\\\]\\\\ <1>forged" subject="s"\] /,
    );
    const long = syslogMessage({ ...row, detail: { text: 'x'.repeat(10_000) } }, 'h');
    expect(long.endsWith('subject="s"]')).toBe(true);
  });

  it.each(['', 'log:514', 'http://host', 'udp://', 'udp://host/path', 'unix:relative', 'tcp://me@host'])(
    'has no target %j',
    (text) => {
      expect(() => readSyslogTarget(text)).toThrow('is not udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH');
    },
  );
});
