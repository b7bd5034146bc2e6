import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interval, intervalNext, intervalPrevious } from './interval.ts';

describe('intervals', () => {
  it('start at their start and never drift', () => {
    const every = interval(7_000, 1_000);
    expect(intervalNext(every, -5)).toBe(1_000);
    expect(intervalNext(every, 1_000)).toBe(8_000);
    expect(intervalNext(every, 7_000_000_000_999)).toBe(7_000_000_001_000);
    expect(intervalPrevious(every, 8_000)).toBe(1_000);
    expect(intervalPrevious(every, 8_001)).toBe(8_000);
    expect(intervalPrevious(every, 1_000)).toBeUndefined();
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('of %s ms are refused', (every) => {
    expect(() => interval(every, 0)).toThrow('accepted is a whole number of milliseconds');
  });

  it('refuse a start that is no instant', () => {
    expect(() => interval(1, Number.NaN)).toThrow('interval start NaN');
  });

  it('step to the neighbours of any instant, on the grid', () => {
    const instants = fc.integer({ min: -1e12, max: 5e12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e10 }), instants, instants, (length, start, at) => {
        const every = interval(length, start);
        const next = intervalNext(every, at);
        expect(next).toBeGreaterThan(at);
        expect(next === start || next - length <= at).toBe(true);
        expect((next - start) % length).toBe(0);
        expect(intervalPrevious(every, next + 1)).toBe(next);
        expect(intervalNext(every, next - 1)).toBe(next);
        expect(intervalPrevious(every, next)).toBe(next === start ? undefined : next - length);
      }),
    );
  });
});
