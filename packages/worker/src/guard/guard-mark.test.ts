import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { isMark, marksOfFolder, marksOfLife, marksOfWorker, processMark } from './guard-mark.ts';

const whole = fc.nat();
const attempts = fc.record({ run: whole, task: whole, shard: fc.integer({ min: -1 }), number: whole });
const marks = fc
  .tuple(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string(),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    attempts,
    fc.constantFrom('kill', 'keep'),
    whole,
  )
  .map(([name, folder, life, attempt, onLostContact, process]) => ({
    name,
    folder,
    text: processMark(
      marksOfLife(marksOfWorker(name, folder), life.toString(16)),
      attempt,
      onLostContact,
      process,
    ),
  }));

describe('a guard mark', () => {
  it('is told as one, and begins with its folder and its worker', () => {
    fc.assert(
      fc.property(marks, ({ name, folder, text }) => {
        expect(isMark(text)).toBe(true);
        expect(text.startsWith(marksOfFolder(folder))).toBe(true);
        expect(text.startsWith(marksOfWorker(name, folder))).toBe(true);
      }),
    );
  });

  it('is the same by every path to its folder, also while the folder is gone', () => {
    const real = realpathSync(temporaryFolder());
    const link = join(temporaryFolder(), 'link');
    symlinkSync(real, link);
    expect(marksOfFolder(link)).toBe(marksOfFolder(real));
    expect(marksOfFolder(join(link, 'gone', 'worker'))).toBe(marksOfFolder(join(real, 'gone', 'worker')));
    expect(marksOfFolder(join(link, 'gone'))).not.toBe(marksOfFolder(link));
  });

  it('that lacks something at its end, or has something more, is none', () => {
    fc.assert(
      fc.property(marks, fc.nat(), ({ text }, cut) => {
        expect(isMark(text.slice(0, Math.min(cut, text.lastIndexOf('/') + 1)))).toBe(false);
        expect(isMark(`${text}/`)).toBe(false);
        expect(isMark(`${text}\n`)).toBe(false);
        expect(isMark(`x${text}`)).toBe(false);
      }),
    );
  });

  it.each(['', 'hello', 'secret', 'w@0123456789abcdef/0123456789abcdef/kill/1.0.1/0', '/etc/passwd'])(
    'is not %j',
    (text) => expect(isMark(text)).toBe(false),
  );
});
