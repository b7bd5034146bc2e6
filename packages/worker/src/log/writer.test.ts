import { mkdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { LogBook } from './log-book.ts';
import { logPath } from './path.ts';
import { readLog, readTail } from './reader.ts';
import { LogWriter } from './writer.ts';

const attempt = { run: 7, task: 0, shard: -1, number: 1 };

function writer(
  limit = 1_000,
  secrets: string[] = [],
  path = join(temporaryFolder(), 'a', 'b.log'),
): LogWriter {
  return new LogWriter({ path, limit, secrets, clock: new VirtualClock() });
}

describe('a log', () => {
  it('lies under its workflow and run, with shard and attempt in its name', () => {
    expect(logPath('/l', 'etl', attempt)).toBe('/l/etl/7/0.1.log');
    expect(logPath('/l', 'etl', { ...attempt, shard: 3 })).toBe('/l/etl/7/0.3.1.log');
  });

  it('stays inside its folder and within the length of a file name, whatever the workflow is called', () => {
    for (const name of ['../../etc', '..', 'a/b', '数'.repeat(100)]) {
      const [, logs, own, ...rest] = logPath('/l', name, attempt).split('/');
      expect([logs, ...rest]).toEqual(['l', '7', '0.1.log']);
      expect(own).not.toBe('..');
      expect(Buffer.byteLength(own)).toBeLessThan(256);
    }
    expect(logPath('/l', 'a/b', attempt)).not.toBe(logPath('/l', 'a%b', attempt));
  });

  it('has no file before the first byte', async () => {
    const log = writer();
    await log.close();
    expect(() => readFileSync(log.path)).toThrow(/ENOENT/);
  });

  it('holds the bytes as they came, text or not', async () => {
    const log = writer(1_000_000);
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    for (let i = 0; i < bytes.length; i += 999) log.write(bytes.subarray(i, i + 999));
    await log.close();
    expect(readFileSync(log.path)).toEqual(bytes);
  });

  it('holds nothing of a file that was there before', async () => {
    const path = join(temporaryFolder(), 'a.log');
    for (const text of ['a long line of another attempt\n', 'own\n']) {
      const log = writer(1_000, [], path);
      log.write(Buffer.from(text));
      await log.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('own\n');
  });

  it('hides a secret that two writes share', async () => {
    const log = writer(1_000, ['hunter2']);
    log.write(Buffer.from('password hun'));
    log.write(Buffer.from('ter2\n'));
    await log.close();
    expect(readFileSync(log.path, 'utf8')).toBe('password ***\n');
  });

  it('keeps the head up to its limit and says how much is missing before the end', async () => {
    const log = writer(10);
    for (let i = 0; i < 20_000; i++) log.write(Buffer.from(`line ${i}\n`));
    await log.close('ended');
    const text = readFileSync(log.path, 'utf8');
    expect(text).toMatch(
      /^line 0\nlin\n\[orrery\] the log has reached its limit of 10 bytes;.*\n\[orrery\] (\d+) bytes dropped; the last (\d+) follow\nline \d+\n/,
    );
    expect(text).toMatch(/line 19999\n\[orrery\] ended\n$/);
    const [, dropped, kept] = /(\d+) bytes dropped; the last (\d+) follow/.exec(text)!;
    const all = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('').length;
    expect(10 + Number(dropped) + Number(kept)).toBe(all);
  });

  it('loses nothing when the output just fits', async () => {
    const log = writer(6);
    log.write(Buffer.from('abc\nd\n'));
    await log.close();
    expect(readFileSync(log.path, 'utf8')).toBe('abc\nd\n');
  });

  it('goes on when the disk is full, and says why bytes are missing', async () => {
    const path = join(temporaryFolder(), 'full.log');
    symlinkSync('/dev/full', path);
    const log = writer(1_000, [], path);
    for (let i = 0; i < 10; i++) log.write(Buffer.from('x'.repeat(100)));
    await log.drained();
    expect(log.write(Buffer.from('y'))).toBe(true);
    await log.close('ended');
    expect(log.problem).toMatch(/ENOSPC/);
  });

  it('marks the gap when the disk works again', async () => {
    const root = temporaryFolder();
    const clock = new VirtualClock();
    const path = join(root, 'wall', 'a.log');
    symlinkSync('/dev/full', join(root, 'wall'));
    const log = new LogWriter({ path, limit: 1_000, secrets: [], clock });
    log.write(Buffer.from('lost line\n'));
    await log.drained();
    unlinkSync(join(root, 'wall'));
    mkdirSync(join(root, 'wall'));
    log.write(Buffer.from('too early\n'));
    await log.drained();
    clock.advance(1_000);
    log.write(Buffer.from('kept line\n'));
    await log.close();
    expect(readFileSync(path, 'utf8')).toMatch(/^\n\[orrery\] 20 bytes are missing here: E.*\nkept line\n$/);
  });
});

describe('reading a log', () => {
  it('goes piece by piece by offset without cutting a character', async () => {
    const log = writer();
    log.write(Buffer.from('aé€😀z'));
    await log.close();
    let offset = 0;
    let text = '';
    for (let i = 0; i < 20; i++) {
      const piece = await readLog(log.path, { offset, limit: 4 });
      expect(piece.bytes.toString()).not.toContain('\uFFFD');
      text += piece.bytes.toString();
      offset = piece.next;
      if (offset === piece.size) break;
    }
    expect(text).toBe('aé€😀z');
  });

  it('always moves on, also through bytes that are no text', async () => {
    const log = writer();
    log.write(Buffer.alloc(9, 0xf0));
    await log.close();
    expect((await readLog(log.path, { limit: 1 })).next).toBe(1);
  });

  it('of an attempt that said nothing is empty', async () => {
    expect(await readLog(join(temporaryFolder(), 'none.log'), { offset: 5 })).toEqual({
      bytes: Buffer.alloc(0),
      next: 5,
      size: 0,
      missing: true,
    });
  });

  it('gives the tail from the beginning of a character, within its size, as text any database takes', async () => {
    const log = writer(1_000_000);
    log.write(Buffer.from('€'.repeat(20_000)));
    await log.close();
    const tail = await readTail(log.path);
    expect(tail).toBe('€'.repeat(Math.floor(16_384 / 3)));
    const binary = writer(1_000_000);
    binary.write(Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 31) % 256)));
    await binary.close();
    const shown = await readTail(binary.path);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(16_384);
    expect(shown).not.toContain('\0');
  });
});

describe('following a log', () => {
  it('gives what is there, then what comes, and ends with the attempt', async () => {
    const book = new LogBook(temporaryFolder());
    const log = book.write('etl', attempt, { limit: 1_000, secrets: [], clock: new VirtualClock() });
    log.write(Buffer.from('first\n'));
    await log.drained();
    const follow = book.follow('etl', attempt);
    expect((await follow.next()).value?.bytes.toString()).toBe('first\n');
    const second = follow.next();
    log.write(Buffer.from('second\n'));
    expect((await second).value?.bytes.toString()).toBe('second\n');
    const last = follow.next();
    await book.close(log, 'ended');
    expect((await last).value?.bytes.toString()).toBe('[orrery] ended\n');
    expect((await follow.next()).done).toBe(true);
  });

  it('of an attempt that has ended gives all of it and ends', async () => {
    const book = new LogBook(temporaryFolder());
    const log = book.write('etl', attempt, { limit: 1_000, secrets: [], clock: new VirtualClock() });
    log.write(Buffer.from('all of it'));
    await book.close(log);
    let text = '';
    for await (const { bytes } of book.follow('etl', attempt, { limit: 4 })) text += bytes.toString();
    expect(text).toBe('all of it');
  });

  it('ends when its reader leaves', async () => {
    const book = new LogBook(temporaryFolder());
    book.write('etl', attempt, { limit: 1_000, secrets: [], clock: new VirtualClock() });
    const reader = new AbortController();
    const next = book.follow('etl', attempt, { signal: reader.signal }).next();
    reader.abort();
    expect((await next).done).toBe(true);
  });
});
