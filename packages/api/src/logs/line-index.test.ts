import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OpenLog } from './find.ts';
import { LineIndex } from './line-index.ts';

let logs = 0;

/** A log in memory; `looked` counts the bytes that were read. */
function logOf(text: string, key = `log ${++logs}`) {
  const bytes = Buffer.from(text);
  const log = {
    key,
    size: bytes.length,
    looked: 0,
    read: async (offset: number, limit: number) => {
      const part = bytes.subarray(offset, offset + limit);
      log.looked += part.length;
      return { bytes: part, next: offset + part.length, size: bytes.length };
    },
  };
  return log as typeof log & OpenLog;
}

it('finds where each line begins, in any order', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', ' '), maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 3_000 }),
      fc.boolean(),
      fc.array(fc.nat(3_500), { minLength: 1, maxLength: 5 }),
      async (lines, ends, wanted) => {
        const text = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
        const log = logOf(text);
        const index = new LineIndex();
        const kept = text === '' ? [] : text.replace(/\n$/, '').split('\n');
        expect(await index.total(log)).toBe(kept.length);
        for (const number of wanted) {
          const before = kept.slice(0, number).map((each) => Buffer.byteLength(each) + 1);
          const start = before.reduce((sum, length) => sum + length, 0);
          const place = await index.find(log, number);
          expect(place.offset).toBe(number < kept.length ? start : log.size);
        }
      },
    ),
    { numRuns: 50 },
  );
});

it('reads a log once to count it, and then little for each jump', async () => {
  const log = logOf('0123456789\n'.repeat(500_000));
  const index = new LineIndex();
  expect(await index.total(log)).toBe(500_000);
  expect(log.looked).toBe(log.size + 1);
  log.looked = 0;
  for (const line of [0, 499_999, 250_500, 3]) expect((await index.find(log, line)).offset).toBe(line * 11);
  expect(log.looked).toBeLessThanOrEqual(4 * 1024 * 1024);
});

it('counts on where a log has grown, and again where it became another', async () => {
  const index = new LineIndex();
  expect(await index.total(logOf('a\nb\n', 'one'))).toBe(2);
  expect(await index.total(logOf('a\nb\nc\nd', 'one'))).toBe(4);
  expect(await index.total(logOf('x\n', 'one'))).toBe(1);
});
