import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTimes, unpackTimes } from './index.ts';

describe('business times in stretches', () => {
  it('are the same times again, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
        expect(unpackTimes(packTimes(times))).toEqual(times);
      }),
    );
  });

  it('are one stretch where the steps are equal, in either direction', () => {
    const days = Array.from({ length: 1_000 }, (_, day) => day * 86_400_000);
    expect(packTimes(days)).toEqual([[0, 86_400_000, 1_000]]);
    expect(packTimes(days.toReversed())).toEqual([[999 * 86_400_000, -86_400_000, 1_000]]);
  });
});
