import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wheel } from './wheel.ts';

function take(wheel: Wheel, to: number): number[] {
  const taken: number[] = [];
  wheel.take(to, taken);
  return taken;
}

describe('the wheel', () => {
  it('gives timers at their millisecond, not before, and each once', () => {
    const wheel = new Wheel(1_000);
    wheel.add(0, 1_001);
    wheel.add(1, 1_300);
    expect(take(wheel, 1_000)).toEqual([]);
    expect(take(wheel, 1_001)).toEqual([0]);
    expect(take(wheel, 1_299)).toEqual([]);
    expect(take(wheel, 1_300)).toEqual([1]);
    expect(take(wheel, 9_999_999)).toEqual([]);
  });

  it('keeps the order of addition within a millisecond, however far ahead each was added', () => {
    const wheel = new Wheel(0);
    const due = 70_000;
    wheel.add(0, due);
    take(wheel, 65_000);
    wheel.add(1, due);
    take(wheel, 65_800);
    wheel.add(2, due);
    take(wheel, 69_999);
    wheel.add(3, due);
    wheel.add(4, due - 1);
    expect(take(wheel, 80_000)).toEqual([4, 0, 1, 2, 3]);
  });

  it('gives an overdue timer at the next take, without moving on', () => {
    const wheel = new Wheel(5_000);
    wheel.add(0, 5_000);
    wheel.add(1, 10);
    expect(wheel.nextDue()).toBe(5_000);
    expect(take(wheel, 5_000)).toEqual([0, 1]);
  });

  it('removes a timer from any level, and knows when nothing is left', () => {
    const wheel = new Wheel(0);
    const dues = [1, 1, 300, 70_000, 2 ** 25, 2 ** 33, 2 ** 45];
    for (const [id, due] of dues.entries()) wheel.add(id, due);
    for (const id of [2, 0, 4, 6, 5, 3]) wheel.remove(id);
    expect(wheel.nextDue()).toBe(1);
    wheel.remove(1);
    expect(wheel.nextDue()).toBeUndefined();
    expect(take(wheel, 2 ** 50)).toEqual([]);
  });

  it('holds due times up to the largest safe integer, over every boundary of its digits', () => {
    const start = 2 ** 32 - 3;
    const dues = [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 255, 2 ** 40, 2 ** 48 + 1, Number.MAX_SAFE_INTEGER];
    const wheel = new Wheel(start);
    for (const [id, due] of dues.entries()) wheel.add(id, due);
    for (const [id, due] of dues.entries()) {
      expect(take(wheel, due - 1)).toEqual([]);
      expect(take(wheel, due)).toEqual([id]);
    }
  });

  it('moves back and gives what is left at its own time again', () => {
    const wheel = new Wheel(100_000);
    for (const [id, due] of [100_500, 100_500, 40_000, 170_000].entries()) wheel.add(id, due);
    wheel.rewind(30_000);
    wheel.add(4, 35_000);
    expect(wheel.position).toBe(30_000);
    expect(take(wheel, 39_999)).toEqual([4]);
    expect(take(wheel, 40_000)).toEqual([2]);
    expect(take(wheel, 200_000)).toEqual([0, 1, 3]);
    wheel.add(5, 200_010);
    expect(take(wheel, 10_000)).toEqual([]);
    expect(take(wheel, 200_009)).toEqual([]);
    expect(take(wheel, 200_010)).toEqual([5]);
  });

  it('gives the same answers as a sorted list', () => {
    const span = fc.oneof(fc.nat(5), fc.nat(600), fc.nat(200_000), fc.nat(2 ** 26), fc.nat(2 ** 40));
    const operation = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), n: span }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('overdue' as const), n: span }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), n: fc.nat() }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), n: span }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), n: span }) },
    );
    const start = fc.oneof(fc.nat(1_000), fc.constant(1_700_000_000_000), fc.constant(2 ** 40 - 100));
    fc.assert(
      fc.property(start, fc.array(operation, { maxLength: 150, size: 'max' }), (from, operations) => {
        const wheel = new Wheel(from);
        let now = from;
        let oracle: { id: number; due: number }[] = [];
        for (const [id, { kind, n }] of operations.entries()) {
          if (kind === 'add' || kind === 'overdue') {
            const due = kind === 'add' ? now + n : Math.max(0, now - n);
            wheel.add(id, due);
            oracle.push({ id, due });
          } else if (kind === 'remove' && oracle.length > 0) {
            const [gone] = oracle.splice(n % oracle.length, 1);
            wheel.remove(gone.id);
          } else if (kind === 'rewind') {
            now = Math.max(0, now - n);
            wheel.rewind(now);
          } else if (kind === 'take') {
            const before = now;
            now += n;
            // Stable: the order of addition within a millisecond.
            const expected = oracle
              .filter((timer) => timer.due <= now)
              .sort((a, b) => Math.max(a.due, before) - Math.max(b.due, before));
            expect(take(wheel, now)).toEqual(expected.map((timer) => timer.id));
            oracle = oracle.filter((timer) => timer.due > now);
          }
          const earliest = Math.max(now, Math.min(...oracle.map((timer) => timer.due)));
          const next = wheel.nextDue();
          if (oracle.length === 0) expect(next).toBeUndefined();
          else {
            expect(next).toBeGreaterThanOrEqual(now);
            expect(next).toBeLessThanOrEqual(earliest);
            if (earliest >> 8 === now >> 8 && earliest - now < 256) expect(next).toBe(earliest);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
