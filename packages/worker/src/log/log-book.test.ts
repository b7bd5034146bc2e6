import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostClock } from '../testing/host-clock.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { LogBook } from './log-book.ts';
import { pruneLogs } from './retention.ts';

const options = { limit: 1_000, secrets: [], clock: hostClock };
const attempt = (number: number) => ({ run: 7, task: 0, shard: -1, number });

async function read(book: LogBook, number: number): Promise<string> {
  return (await book.read('load', attempt(number))).bytes.toString();
}

async function write(book: LogBook, number: number, text: string): Promise<void> {
  const writer = book.write('load', attempt(number), options);
  writer.write(Buffer.from(text));
  await book.close(writer);
}

it('after a restore an attempt that runs again has a log of its own, and others keep theirs', async () => {
  const book = new LogBook(temporaryFolder());
  await write(book, 1, 'in the backup');
  const late = book.write('load', attempt(2), options);
  late.write(Buffer.from('undone, '));
  book.restores = 1;
  await write(book, 2, 'again');
  // The attempt from before may still be ending.
  late.write(Buffer.from('still'));
  await book.close(late);
  expect(await read(book, 1)).toBe('in the backup');
  expect(await read(book, 2)).toBe('again');
  const before = new LogBook(book.folder);
  expect(await read(before, 2)).toBe('undone, still');
  book.restores = 3;
  expect(await read(book, 2)).toBe('again');
});

it('a run that wrote after a restore is not too old', async () => {
  const book = new LogBook(temporaryFolder());
  const now = 10_000_000;
  await write(book, 1, 'old');
  book.restores = 1;
  await write(book, 2, 'new');
  const run = join(book.folder, 'load', '7');
  for (const old of [join(run, '0.1.log'), join(run, 'restore-1'), run]) utimesSync(old, 1, 1);
  utimesSync(join(run, 'restore-1', '0.2.log'), now / 1_000, now / 1_000);
  expect(await pruneLogs(book.folder, { now, age: 1_000, most: 10 })).toBe(0);
  expect(await pruneLogs(book.folder, { now: now + 2_000, age: 1_000, most: 10 })).toBe(1);
});
