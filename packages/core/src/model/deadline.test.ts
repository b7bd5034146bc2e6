import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDeadline } from './deadline.ts';

const after = (at: string, text: string, timezone = 'UTC', days?: number[]) => {
  const { day, from, to, at: until } = nextDeadline({ at, timezone, days }, Date.parse(text));
  const iso = (time: number) => new Date(time).toISOString().slice(0, 16);
  return [day, iso(from), iso(to), iso(until)];
};

describe('the next deadline', () => {
  it('is that of today until it has passed, then that of tomorrow', () => {
    const day = ['2026-03-01', '2026-03-01T00:00', '2026-03-02T00:00', '2026-03-01T08:00'];
    expect(after('08:00', '2026-03-01T07:59:59Z')).toEqual(day);
    expect(after('08:00', '2026-03-01T08:00:00Z')[0]).toBe('2026-03-02');
  });

  it('may be in the night after its day', () => {
    expect(after('30:00', '2026-03-02T05:00:00Z')).toEqual([
      '2026-03-01',
      '2026-03-01T00:00',
      '2026-03-02T00:00',
      '2026-03-02T06:00',
    ]);
  });

  it('is of a calendar day of its zone, however long that is', () => {
    expect(after('08:00', '2026-03-29T00:30:00Z', 'Europe/Berlin')).toEqual([
      '2026-03-29',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
      '2026-03-29T06:00',
    ]);
  });

  it('passes over days that it leaves out', () => {
    // A Sunday; Monday to Friday.
    expect(after('08:00', '2026-03-01T00:00:00Z', 'UTC', [1, 2, 3, 4, 5])[0]).toBe('2026-03-02');
    expect(after('08:00', '2026-03-01T09:00:00Z', 'UTC', [0])[0]).toBe('2026-03-08');
  });

  it('always lies ahead, and each day has one', () => {
    const spec = fc.record({
      at: fc.constantFrom('00:00', '02:30', '23:59', '30:00', '47:59'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    });
    const time = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') });
    fc.assert(
      fc.property(spec, time, (one, start) => {
        const first = nextDeadline(one, start);
        const second = nextDeadline(one, first.at);
        expect(first.at).toBeGreaterThan(start);
        expect(second.from).toBe(first.to);
        expect(nextDeadline(one, first.at - 1)).toEqual(first);
      }),
    );
  });
});
