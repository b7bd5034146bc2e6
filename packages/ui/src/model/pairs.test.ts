import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf, pairsOf } from './pairs.ts';

it('values become lines and values again', () => {
  const names = fc.stringMatching(/^[a-z]\w{0,9}$/).filter((name) => name !== '__proto__');
  fc.assert(
    fc.property(
      fc.dictionary(
        names,
        fc.string().filter((text) => !text.includes('\r')),
      ),
      (values) => {
        expect(pairsOf(linesOf(values)).values).toEqual({ ...values });
      },
    ),
  );
});

it('names the line that is no pair', () => {
  expect(pairsOf('a=1\n\nb')).toEqual({ values: { a: '1' }, wrong: 'b' });
  expect(pairsOf('=1').wrong).toBe('=1');
});
