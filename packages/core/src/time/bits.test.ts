import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, nextBit, previousBit } from './bits.ts';

describe('bits', () => {
  it('finds the members around any place that a sorted list finds', () => {
    const values = fc.array(fc.integer({ min: 0, max: 129 }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 200 }), (members, from) => {
        const bits = bitsOf(members);
        const sorted = members.toSorted((a, b) => a - b);
        expect(nextBit(bits, from)).toBe(sorted.find((value) => value >= from) ?? -1);
        expect(previousBit(bits, from)).toBe(sorted.findLast((value) => value <= from) ?? -1);
      }),
    );
  });

  it('has nothing before zero', () => {
    expect(previousBit(bitsOf([0, 5]), -1)).toBe(-1);
    expect(previousBit(bitsOf([0, 5]), 0)).toBe(0);
  });
});
