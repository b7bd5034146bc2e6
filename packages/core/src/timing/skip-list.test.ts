import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SkipList } from './skip-list.ts';

function all(list: SkipList): number[] {
  const values: number[] = [];
  list.takeUntil(Number.POSITIVE_INFINITY, (value) => values.push(value));
  return values;
}

describe('the skip list', () => {
  it('keeps entries by score, and equal scores in the order of insertion', () => {
    const list = new SkipList();
    for (const [value, score] of [30, 10, 20, 10, 30, 10].entries()) list.insert(score, value);
    expect(list.firstScore()).toBe(10);
    expect(all(list)).toEqual([1, 3, 5, 2, 0, 4]);
    expect([list.size, list.firstScore(), list.shift()]).toEqual([0, undefined, undefined]);
  });

  it('takes entries up to and including a score', () => {
    const list = new SkipList();
    for (const score of [1, 2, 3, 4]) list.insert(score, score * 10);
    const taken: [number, number][] = [];
    list.takeUntil(3, (value, score) => taken.push([value, score]));
    expect(taken).toEqual([
      [10, 1],
      [20, 2],
      [30, 3],
    ]);
    expect([list.size, list.firstScore()]).toEqual([1, 4]);
  });

  it('deletes one of many equal scores and leaves the others in order', () => {
    const list = new SkipList();
    const nodes = Array.from({ length: 1_000 }, (_, value) => list.insert(7, value));
    for (let value = 0; value < 1_000; value += 2) list.delete(nodes[value]);
    expect(all(list)).toEqual(Array.from({ length: 500 }, (_, i) => 2 * i + 1));
  });

  it('lets the callback of a take insert again', () => {
    const list = new SkipList();
    list.insert(1, 0);
    const taken: number[] = [];
    list.takeUntil(3, (value, score) => {
      taken.push(value);
      list.insert(score + 1, value + 1);
    });
    expect(taken).toEqual([0, 1, 2]);
    expect(list.firstScore()).toBe(4);
  });

  it('gives the same answers as a sorted array, whatever the seed', () => {
    const operation = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('insert' as const), n: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), n: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), n: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('shift' as const), n: fc.constant(0) }) },
    );
    fc.assert(
      fc.property(fc.integer(), fc.array(operation, { maxLength: 200, size: 'max' }), (seed, operations) => {
        const list = new SkipList(seed);
        let oracle: { score: number; value: number; node: number }[] = [];
        for (const [value, { kind, n }] of operations.entries()) {
          if (kind === 'insert') {
            oracle.push({ score: n, value, node: list.insert(n, value) });
            oracle.sort((a, b) => a.score - b.score);
          } else if (kind === 'delete' && oracle.length > 0) {
            const [gone] = oracle.splice(n % oracle.length, 1);
            list.delete(gone.node);
          } else if (kind === 'take') {
            const taken: number[] = [];
            list.takeUntil(n, (each) => taken.push(each));
            expect(taken).toEqual(oracle.filter((entry) => entry.score <= n).map((entry) => entry.value));
            oracle = oracle.filter((entry) => entry.score > n);
          } else if (kind === 'shift') {
            expect(list.shift()).toBe(oracle.shift()?.value);
          }
          expect([list.size, list.firstScore()]).toEqual([oracle.length, oracle[0]?.score]);
        }
        expect(all(list)).toEqual(oracle.map((entry) => entry.value));
      }),
    );
  });
});
