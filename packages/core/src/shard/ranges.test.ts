import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { ownerInRanges, planRanges, rangeStrategies, rangesToIds } from './ranges.ts';

const three = ['10.0.0.9', '10.0.0.10', '10.0.0.11'];
const names = Object.keys(rangeStrategies) as (keyof typeof rangeStrategies)[];

describe('planRanges', () => {
  it.each(vectors.scope)('range: $total schedules on $nodes nodes', ({ total, nodes, ranges }) => {
    expect([...planRanges('range', total, three.slice(0, nodes)).values()]).toEqual(ranges);
  });

  it('balanced: ranges that differ by at most one, one each when there are few', () => {
    expect([...planRanges('balanced', 2300, three).values()]).toEqual([
      [1, 767],
      [768, 1534],
      [1535, 2300],
    ]);
    expect([...planRanges('balanced', 2, three).values()]).toEqual([[1, 1], [2, 2], null]);
  });

  it('weighted: in proportion to the weights', () => {
    const weights = new Map([['10.0.0.10', 2]]);
    expect([...planRanges('weighted', 100, three, weights).values()]).toEqual([
      [1, 25],
      [26, 75],
      [76, 100],
    ]);
  });

  it('sorts the nodes by address', () => {
    expect([...planRanges('range', 3, three.toReversed()).keys()]).toEqual(three);
  });

  it('is empty without nodes', () => {
    for (const name of names) expect(planRanges(name, 5, []).size).toBe(0);
  });

  it("takes a user's rule and refuses one that does not add up", () => {
    const allToFirst = { name: 'first', sizes: (total: number) => [total, 0, 0] };
    expect([...planRanges(allToFirst, 5, three).values()]).toEqual([[1, 5], null, null]);
    expect(() => planRanges({ name: 'short', sizes: () => [1, 1, 1] }, 5, three)).toThrow(
      '[1, 1, 1] do not divide 5',
    );
    expect(() => planRanges({ name: 'less', sizes: () => [6, -1, 0] }, 5, three)).toThrow('do not divide');
    expect(() => planRanges('half' as 'range', 5, three)).toThrow('there are: range, balanced, weighted');
    expect(() => planRanges('range', 5, ['a', 'a'])).toThrow('"a" is listed twice');
    expect(() => planRanges('range', -1, three)).toThrow('cannot divide -1');
  });
});

describe('rangesToIds', () => {
  it('owns the ids 1, 2 and 5000 once each, and any new one', () => {
    const ids = [1, 2, 5000];
    const ranges = rangesToIds(planRanges('balanced', 3, three), (rank) => ids[rank - 1]);
    expect(ranges).toEqual({ owners: three, cuts: [1, 2] });
    expect([...ids, -7, 3, 10_000].map((id) => ownerInRanges(ranges, id))).toEqual([
      ...three,
      '10.0.0.9',
      '10.0.0.11',
      '10.0.0.11',
    ]);
  });

  it('leaves what is still to come to the last node when there is nothing to cut', () => {
    const ranges = rangesToIds(planRanges('range', 0, three), () => Number.NaN);
    expect(ranges).toEqual({ owners: ['10.0.0.11'], cuts: [] });
  });

  it('refuses ids that do not grow with their rank', () => {
    expect(() => rangesToIds(planRanges('range', 3, three), (rank) => 10 - rank)).toThrow(
      'must be whole numbers',
    );
    expect(() => rangesToIds(planRanges('range', 3, three), () => Number.NaN)).toThrow(
      'must be whole numbers',
    );
  });

  it('gives each node just the ids of its ranks, for any ids, nodes and strategy', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer(), { maxLength: 60 }),
        fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 9 }),
        fc.constantFrom(...names),
        (unsorted, nodes, strategy) => {
          const ids = unsorted.sort((a, b) => a - b);
          const plan = planRanges(strategy, ids.length, nodes);
          const ranges = rangesToIds(plan, (rank) => ids[rank - 1]);
          for (const [node, range] of plan) {
            const own = ids.filter((id) => ownerInRanges(ranges, id) === node);
            expect(own).toEqual(range ? ids.slice(range[0] - 1, range[1]) : []);
          }
        },
      ),
    );
  });
});
