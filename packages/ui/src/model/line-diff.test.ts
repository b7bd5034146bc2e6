import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './line-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

/** Most lines that two lists have in common, in order; by the table that everybody knows. */
function common(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i][j] =
        a[i - 1] === b[j - 1] ? table[i - 1][j - 1] + 1 : Math.max(table[i - 1][j], table[i][j - 1]);
  return table[a.length][b.length];
}

describe('the differences of two texts', () => {
  it('lead from one to the other, and are as few as can be', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const diff = diffLines(a, b);
        const of = (...kinds: string[]) =>
          diff.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);
        expect(of('same', 'gone')).toEqual(a);
        expect(of('same', 'new')).toEqual(b);
        expect(of('same')).toHaveLength(common(a, b));
      }),
    );
  });

  it('leave out what the comparison does not look at', () => {
    const key = (line: string) => line.replace(/\d+/g, '#');
    expect(diffLines(['at 1: x', 'y'], ['at 2: x', 'z'], key)).toEqual([
      { kind: 'same', text: 'at 2: x' },
      { kind: 'gone', text: 'y' },
      { kind: 'new', text: 'z' },
    ]);
  });

  it('of texts that have nothing in common are all their lines', () => {
    const [a, b] = [0, 1].map((n) => Array.from({ length: 900 }, (_, i) => `${n} ${i}`));
    const diff = diffLines(a, b);
    expect(diff.filter(({ kind }) => kind === 'gone')).toHaveLength(900);
    expect(diff.filter(({ kind }) => kind === 'new')).toHaveLength(900);
  });
});
