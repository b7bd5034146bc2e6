import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf, type Plan, parsePlan, planByRange, planByRing, planFaults } from './plan.ts';

const abc = ['a', 'b', 'c'];

function rangePlan(
  ids: readonly number[],
  nodes: readonly string[],
  strategy: 'range' | 'balanced' = 'range',
): Plan {
  return planByRange({ number: 1, strategy, nodes, total: ids.length, idAt: (rank) => ids[rank - 1] });
}

const ids = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 40 })
  .map((list) => list.sort((a, b) => a - b));
const nodes = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 });
const plan = fc.oneof(
  fc
    .tuple(ids, nodes, fc.constantFrom('range' as const, 'balanced' as const))
    .map((args) => rangePlan(...args)),
  nodes.map((list) => planByRing(2, list)),
  nodes.map((list): Plan => ({ number: 3, mode: 'claim', nodes: list })),
);

describe('a plan', () => {
  it('names one owner for every id, known or not, as long as it has a node and is no claim plan', () => {
    fc.assert(
      fc.property(plan, fc.maxSafeInteger(), (given, id) => {
        const owner = ownerOf(given, id);
        if (given.mode === 'claim' || given.nodes.length === 0) expect(owner).toBeUndefined();
        else expect(given.nodes).toContain(owner);
        expect(planFaults(given, given.nodes)).toEqual([]);
      }),
    );
  });

  it('is the same text whatever order the nodes came in', () => {
    fc.assert(
      fc.property(ids, nodes, (list, some) => {
        const reversed = some.toReversed();
        expect(JSON.stringify(rangePlan(list, reversed))).toBe(JSON.stringify(rangePlan(list, some)));
        expect(JSON.stringify(planByRing(1, reversed))).toBe(JSON.stringify(planByRing(1, some)));
      }),
    );
  });

  it('survives the registry', () => {
    fc.assert(
      fc.property(plan, (given) => {
        expect(parsePlan(JSON.stringify(given))).toEqual(given);
      }),
    );
  });

  it("carries the name of a user's strategy", () => {
    const strategy = { name: 'all to c', sizes: () => [0, 0, 2] };
    const made = planByRange({ number: 4, strategy, nodes: abc, total: 2, idAt: (rank) => rank });
    expect(made).toEqual({
      number: 4,
      mode: 'scope',
      strategy: 'all to c',
      nodes: abc,
      ranges: { owners: ['c'], cuts: [] },
    });
  });

  it('refuses a ring without points', () => {
    for (const count of [0, 1.5, 10_001]) expect(() => planByRing(1, abc, count)).toThrow('virtual nodes');
  });

  it('refuses a node that is listed twice', () => {
    expect(() => planByRing(1, ['a', 'a'])).toThrow('"a" is listed twice');
    expect(() => rangePlan([1], ['a', 'a'])).toThrow('"a" is listed twice');
  });
});

describe('planFaults', () => {
  const good = { number: 1, mode: 'scope', strategy: 'range', nodes: abc } as const;
  const faults = (owners: string[], cuts: number[], live = abc) =>
    planFaults({ ...good, nodes: [...abc], ranges: { owners, cuts } }, live);

  it('finds dead nodes, gaps, overlaps and strangers', () => {
    expect(faults(['a', 'b', 'c'], [1, 2])).toEqual([]);
    expect(faults(['a', 'b', 'c'], [1, 2], ['a', 'c'])).toEqual(['node "b" is not alive']);
    expect(faults(['a', 'b'], [])).toEqual(['2 owners with 0 cuts between them']);
    expect(faults(['a', 'b', 'c'], [2, 1])).toEqual([
      'cut 1 at position 1 does not follow the one before it',
    ]);
    expect(faults(['a', 'b', 'c'], [2, 2])).toEqual([
      'cut 2 at position 1 does not follow the one before it',
    ]);
    expect(faults(['a', 'x'], [5])).toEqual(['owner "x" is no node']);
    expect(faults(['a', 'a'], [5])).toEqual(['an owner has two ranges']);
    expect(faults([], [])).toEqual(['no node owns anything']);
    expect(planFaults({ ...planByRing(1, ['a']), nodes: ['a', 'a'] }, ['a'])).toEqual([
      'a node is listed twice',
    ]);
  });
});

describe('parsePlan', () => {
  it('ignores fields it does not know', () => {
    const made = planByRing(7, abc);
    expect(parsePlan(JSON.stringify({ ...made, later: true }))).toEqual(made);
  });

  it('refuses what is no plan, and a plan that does not hold together', () => {
    expect(() => parsePlan('{')).toThrow('plan: the text is not JSON');
    expect(() => parsePlan('{"number":1,"mode":"scope","strategy":"range","nodes":[]}')).toThrow(
      'plan: it needs',
    );
    expect(() =>
      parsePlan(JSON.stringify({ ...rangePlan([1, 2], abc), ranges: { owners: ['a'], cuts: [1] } })),
    ).toThrow('1 owners with 1 cuts');
  });
});
