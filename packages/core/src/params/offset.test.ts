import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { DAY, HOUR, zone } from '../time/zone.ts';
import { type Cadence, offsetOf, requiredVersions, versionOffsets } from './offset.ts';
import { addSpan } from './time-span.ts';

/** A tick every `gap` from `phase` on, both ways, unless bounded. */
function every(gap: number, phase: number, first = -Infinity, end = Infinity): Cadence {
  const inside = (at: number) => (at >= first && at < end ? at : undefined);
  return {
    before: (at) => inside(phase + (Math.ceil((at - phase) / gap) - 1) * gap),
    after: (at) => inside(phase + (Math.floor((at - phase) / gap) + 1) * gap),
  };
}

const today = Date.parse('2026-11-15T00:00:00Z');
const daily = every(DAY, today);

describe('version ranges', () => {
  it.each(
    vectors.offset.map(([offset, count, days]) => ({
      range: { offset: offset as number, count: count as number },
      expected: (days as string[]).map((day) => Number(day.slice(1) || 0)),
    })),
  )('$range of a daily schedule are the days $expected', ({ range, expected }) => {
    expect(versionOffsets(range)).toEqual(expected);
    expect(requiredVersions(range, today, daily)).toEqual(expected.map((days) => today + days * DAY));
  });

  it.each([
    [{ offset: -1, count: 0 }, 'count 0 of a version range must be a whole number from 1'],
    [{ offset: -1, count: -2 }, 'count -2'],
    [{ offset: 0.5, count: 1 }, 'must be whole numbers'],
    [{ offset: -20_000, count: 1 }, 'within 10000 versions'],
  ])('refuses %o', (range, message) => {
    expect(() => versionOffsets(range)).toThrow(message);
  });

  it('leaves out versions before the first tick and after the last', () => {
    const young = every(DAY, today, today - DAY, today + DAY);
    expect(requiredVersions({ offset: -3, count: 6 }, today, young)).toEqual([today - DAY, today]);
    expect(requiredVersions({ offset: -1, count: 1 }, today - DAY, young)).toEqual([]);
  });

  it('counts from the newest tick when the reference lies between ticks', () => {
    expect(requiredVersions({ offset: 0, count: 2 }, today + 5 * HOUR, daily)).toEqual([today, today + DAY]);
  });
});

describe('offsets of spans', () => {
  const utc = zone('UTC');
  const of = (cadence: Cadence, span: string) => offsetOf(addSpan(today, span, utc), today, cadence);

  // The other schedule ticks later in its period than the reference, so its newest tick is one period back.
  it('finds the published offsets', () => {
    expect(of(every(HOUR, today + HOUR / 2), '-1d')).toBe(-23);
    expect(of(every(2 * DAY, today - DAY + 2 * HOUR), '-3d')).toBe(-1);
    expect(of(every(3 * DAY, today + 2 * HOUR), '-2d')).toBe(1);
  });

  it('counts whole periods where both tick at the same time', () => {
    expect(of(every(HOUR, today), '-1d')).toBe(-24);
    expect(of(daily, '-1d')).toBe(-1);
    expect(of(daily, '0d')).toBe(0);
    expect(of(daily, '2d')).toBe(2);
  });

  it('refuses a version that will never be, or is too far', () => {
    expect(() => of(every(DAY, today, today, today + DAY), '1d')).toThrow('no version that late');
    expect(() => of(every(1000, today), '-1d')).toThrow('more than 10000 versions');
  });

  it('agrees with requiredVersions: the version at the offset is the first at or after the target', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 99 }),
        fc.integer({ min: -500, max: 500 }),
        (gap, phase, target) => {
          const cadence = every(gap, phase);
          const offset = offsetOf(target, 0, cadence);
          expect(requiredVersions({ offset, count: 1 }, 0, cadence)).toEqual([cadence.after(target - 1)]);
        },
      ),
    );
  });
});
