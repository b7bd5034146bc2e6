import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSeq, seqText } from './seq.ts';

const position = fc
  .array(fc.tuple(fc.nat(), fc.string({ minLength: 1 }), fc.nat()))
  .map((writers) => Object.fromEntries(writers.map(([epoch, node, n]) => [`${epoch}@${node}`, n])));

it('writes any position as text for a header and reads it back', () => {
  fc.assert(
    fc.property(position, (given) => {
      const text = seqText(given);
      expect(text).toMatch(/^[\x21-\x7e]+$/);
      expect(readSeq(text)).toEqual(given);
    }),
  );
});

it('keeps the places of hundreds of writers', () => {
  const writers = Array.from({ length: 250 }, (_, k) => [`${k % 7}@master-${k}.cluster.example`, k * 7_919]);
  const many = Object.fromEntries(writers);
  const text = seqText(many);
  expect(text.length).toBeLessThanOrEqual(3_000);
  expect(readSeq(text)).toEqual(many);
});

it('is short however many writers there are, and then a place where nobody was', () => {
  const writers = Array.from({ length: 5_000 }, (_, k) => [`1@a-name-of-a-node-${k}`, k * 104_729]);
  const many = Object.fromEntries(writers);
  const text = seqText(many);
  expect(text.length).toBeLessThanOrEqual(3_000);
  expect(readSeq(text)).toEqual({ '-1@': 0 });
  expect(seqText(readSeq(text))).toBe(text);
});

it.each(['', 'x', '1.2', '1.x.m1', '~', '1.2.m1~', '1.2.%zz', 'zzz', `1.2.${'m'.repeat(20_000)}`])(
  'refuses %j, which no answer had',
  (text) => {
    expect(() => readSeq(text.slice(0, 15_000))).toThrow('is not a position');
  },
);
