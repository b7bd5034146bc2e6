import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Folds, lineOfRow, noFolds, rowOfLine, rowsOf, toggleFold } from './log-folds.ts';

describe('folds of a log', () => {
  it('hide lines and show them again', () => {
    const folded = toggleFold(noFolds, [3, 6]);
    expect([0, 1, 2, 3, 4].map((row) => lineOfRow(folded, row))).toEqual([0, 1, 2, 6, 7]);
    expect(rowsOf(folded, 10)).toBe(7);
    expect(toggleFold(folded, [3, 6])).toEqual([]);
  });

  it('swallow what lies inside them', () => {
    expect(toggleFold(toggleFold(noFolds, [4, 6]), [2, 9])).toEqual([[2, 9]]);
  });

  it('lead a hidden line to the row before its fold', () => {
    const folds: Folds = [[3, 6]];
    expect([2, 3, 5, 6].map((line) => rowOfLine(folds, line))).toEqual([2, 2, 2, 3]);
  });

  it('lead from rows to lines and back, whatever is folded', () => {
    const stretch = fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 8 }), fc.nat(250), (stretches, line) => {
        const folds = stretches.reduce(
          (all: Folds, [from, length]) => toggleFold(all, [from, from + length]),
          noFolds,
        );
        const hidden = folds.some(([from, to]) => line >= from && line < to);
        if (!hidden) expect(lineOfRow(folds, rowOfLine(folds, line))).toBe(line);
        const shown = Array.from({ length: rowsOf(folds, 300) }, (_, row) => lineOfRow(folds, row));
        expect(shown.every((one) => !folds.some(([from, to]) => one >= from && one < to))).toBe(true);
        expect(new Set(shown).size).toBe(shown.length);
      }),
    );
  });
});
