import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownersOf, type Plan, planByRange, planByRing } from './plan.ts';
import { movedRanges, planPieces } from './plan-change.ts';

const abc = ['a', 'b', 'c'];

function rangePlan(ids: readonly number[], nodes: readonly string[]): Plan {
  return planByRange({
    number: 1,
    strategy: 'range',
    nodes,
    total: ids.length,
    idAt: (rank) => ids[rank - 1],
  });
}

const ids = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 40 })
  .map((list) => list.sort((a, b) => a - b));
const nodes = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 });
const plan = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(ids, nodes).map((args) => rangePlan(...args)) },
  nodes.map((list) => planByRing(2, list)),
  nodes.map((list): Plan => ({ number: 3, mode: 'claim', nodes: list })),
);

describe('the change of a plan', () => {
  it('names the ranges that move when a node leaves, and nothing else', () => {
    const list = Array.from({ length: 2300 }, (_, i) => i + 1);
    expect(movedRanges(rangePlan(list, abc), rangePlan(list, ['a', 'c']))).toEqual([
      { above: 766, upTo: 1150, from: 'b', to: 'a' },
      { above: 1150, upTo: 1532, from: 'b', to: 'c' },
    ]);
  });

  it('cuts all ids into pieces, and knows nobody before where there were no ranges', () => {
    const list = Array.from({ length: 6 }, (_, i) => i + 1);
    const [two, one] = [rangePlan(list, ['a', 'c']), rangePlan(list, ['a'])];
    expect(planPieces(one, two)).toEqual([
      { above: null, upTo: 3, from: 'a', to: 'a' },
      { above: 3, upTo: null, from: 'a', to: 'c' },
    ]);
    const claim: Plan = { number: 1, mode: 'claim', nodes: abc };
    for (const before of [planByRing(1, abc), claim])
      expect(planPieces(before, two)?.map(({ from, to }) => [from, to])).toEqual([
        [undefined, 'a'],
        [undefined, 'c'],
      ]);
    expect(planPieces(one, planByRing(1, abc))).toBeUndefined();
    expect(planPieces(one, claim)).toBeUndefined();
  });

  it('is everything when the mode changes or the last node goes', () => {
    const claim: Plan = { number: 2, mode: 'claim', nodes: ['a'] };
    expect(movedRanges(rangePlan([1, 2, 3], ['a']), claim)).toEqual([
      { above: null, upTo: null, from: 'a', to: undefined },
    ]);
    expect(movedRanges(rangePlan([1, 2, 3], ['a']), rangePlan([1, 2, 3], []))).toHaveLength(1);
  });

  it('has no ranges for a ring', () => {
    expect(movedRanges(planByRing(1, abc), rangePlan([1], abc))).toBeUndefined();
  });

  it('tells the same by ranges and by ids', () => {
    fc.assert(
      fc.property(plan, plan, (before, after) => {
        const some = Array.from({ length: 1_002 }, (_, i) => i);
        const was = ownersOf(before);
        const is = ownersOf(after);
        const moved = some.filter((id) => was(id) !== is(id));
        const ranges = movedRanges(before, after);
        if (!ranges) return;
        const inRanges = some.flatMap((id) =>
          ranges
            .filter(({ above, upTo }) => (above === null || id > above) && (upTo === null || id <= upTo))
            .map(({ from, to }) => [id, from, to]),
        );
        expect(inRanges).toEqual(moved.map((id) => [id, was(id), is(id)]));
      }),
    );
  });

  it('of a ring moves only what the node that leaves had', () => {
    const some = Array.from({ length: 5_000 }, (_, i) => i);
    const was = ownersOf(planByRing(1, abc));
    const is = ownersOf(planByRing(2, ['a', 'c']));
    expect(some.filter((id) => was(id) !== is(id))).toEqual(some.filter((id) => was(id) === 'b'));
  });
});
