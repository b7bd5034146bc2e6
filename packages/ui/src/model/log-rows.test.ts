import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldedRows, pickedRows } from './log-rows.ts';

describe('the rows of picked lines', () => {
  it('are those lines, and any line has the row of the picked one at or before it', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(200), { minLength: 1 }), fc.nat(220), (some, line) => {
        const picked = some.sort((a, b) => a - b);
        const rows = pickedRows(picked);
        expect(picked.map((_, row) => rows.lineOf(row))).toEqual(picked);
        expect(picked.map(rows.rowOf)).toEqual([...picked.keys()]);
        const before = picked.filter((each) => each <= line).length - 1;
        expect(rows.rowOf(line)).toBe(Math.max(0, before));
      }),
    );
  });

  it('are none where nothing was picked', () => {
    expect(pickedRows([]).count).toBe(0);
    expect(pickedRows([]).rowOf(7)).toBe(0);
  });
});

describe('the rows of a log with folds', () => {
  it('leave the folded lines out', () => {
    const rows = foldedRows([[2, 5]], 8);
    expect(rows.count).toBe(5);
    expect(Array.from({ length: 5 }, (_, row) => rows.lineOf(row))).toEqual([0, 1, 5, 6, 7]);
    expect([0, 1, 3, 5, 7].map(rows.rowOf)).toEqual([0, 1, 1, 2, 4]);
  });
});
