import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, wall, zone } from '../time/zone.ts';
import { DATE_VALUES, type DateValue, type Interval, windowIntervals } from './windows.ts';

const ZONES = [
  'UTC',
  'Asia/Shanghai',
  'Asia/Kolkata',
  'America/New_York',
  'America/Havana',
  'America/Sao_Paulo',
  'Europe/London',
  'Australia/Lord_Howe',
];

/** From 2001 on: zones have had whole days ever since, but for those the tests name. */
const times = fc.integer({
  min: Date.parse('2001-01-01T00:00:00Z'),
  max: Date.parse('2040-01-01T00:00:00Z'),
});

function contiguous(intervals: readonly Interval[]): boolean {
  return intervals.every(([from, to], i) => from < to && (i === 0 || intervals[i - 1][1] === from));
}

function midnight(at: number, name: string): boolean {
  // Where clocks go forward at midnight the day begins at one.
  const before = wall(at - 1, zone(name));
  return before.day !== wall(at, zone(name)).day;
}

const iso = (intervals: readonly Interval[]) =>
  intervals.map(([from, to]) => [new Date(from).toISOString(), new Date(to).toISOString()]);

describe('windows in any zone', () => {
  const days: [DateValue, number | undefined][] = [
    ['lastWeek', 7],
    ['last7Days', 7],
    ['last1Days', 1],
    ['lastMonth', undefined],
    ['thisMonth', undefined],
    ['thisWeek', undefined],
  ];
  it.each(days)('%s is contiguous calendar days', (window, count) => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (name, at) => {
        const found = windowIntervals(window, at, zone(name));
        expect(contiguous(found)).toBe(true);
        expect(found.flat().every((edge) => midnight(edge, name))).toBe(true);
        if (count !== undefined) expect(found).toHaveLength(count);
      }),
    );
  });

  it.each([
    ['last1Hour', 1],
    ['last2Hours', 2],
    ['last3Hours', 3],
    ['last24Hours', 24],
  ] as const)('%s is %i contiguous hours up to the current one', (window, count) => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (name, at) => {
        const found = windowIntervals(window, at, zone(name));
        const [[current]] = windowIntervals('currentHour', at, zone(name));
        expect(found).toHaveLength(count);
        expect(contiguous(found)).toBe(true);
        expect(found.at(-1)?.[1]).toBe(current);
      }),
    );
  });

  it('holds the business time in the current hour, today, and the last stretch of this week and month', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (name, at) => {
        for (const window of ['currentHour', 'today', 'thisWeek', 'thisMonth'] as const) {
          const [from, to] = windowIntervals(window, at, zone(name)).at(-1)!;
          expect(from <= at && at < to).toBe(true);
        }
      }),
    );
  });

  it('takes lastMonday to lastSunday from last week, and begin and end from the month', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), times, (name, at) => {
        const of = (window: DateValue) => windowIntervals(window, at, zone(name));
        const weekdays = DATE_VALUES.filter((value) => /^last.*day$/.test(value));
        expect(weekdays.flatMap(of)).toEqual(of('lastWeek'));
        expect([of('lastMonth')[0], of('lastMonth').at(-1)]).toEqual([
          ...of('lastMonthBegin'),
          ...of('lastMonthEnd'),
        ]);
        expect(of('thisMonthBegin')[0]).toEqual(of('thisMonth')[0]);
        expect(of('lastMonthEnd')[0][1]).toBe(of('thisMonthBegin')[0][0]);
        expect(wall(of('thisMonthEnd')[0][1], zone(name)).day).toBe(1);
      }),
    );
  });
});

describe('windows where clocks change', () => {
  it('gives a day 23 or 25 hours', () => {
    const newYork = zone('America/New_York');
    const length = (at: string) => {
      const [[from, to]] = windowIntervals('last1Days', Date.parse(at), newYork);
      return (to - from) / HOUR;
    };
    expect(length('2026-03-09T12:00:00Z')).toBe(23);
    expect(length('2026-11-02T12:00:00Z')).toBe(25);
    expect(length('2026-11-03T12:00:00Z')).toBe(24);
  });

  it('passes over an hour that was left out, and keeps a repeated hour in one stretch', () => {
    const newYork = zone('America/New_York');
    expect(iso(windowIntervals('last2Hours', Date.parse('2026-03-08T08:30:00Z'), newYork))).toEqual([
      ['2026-03-08T06:00:00.000Z', '2026-03-08T07:00:00.000Z'],
      ['2026-03-08T07:00:00.000Z', '2026-03-08T08:00:00.000Z'],
    ]);
    expect(iso(windowIntervals('last1Hour', Date.parse('2026-11-01T07:30:00Z'), newYork))).toEqual([
      ['2026-11-01T05:00:00.000Z', '2026-11-01T07:00:00.000Z'],
    ]);
  });

  it('begins a day at the first of two midnights', () => {
    // Havana went back from 01:00 to 00:00 on 1 November 2026.
    const [[from, to]] = windowIntervals('today', Date.parse('2026-11-01T12:00:00Z'), zone('America/Havana'));
    expect(iso([[from, to]])).toEqual([['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z']]);
  });

  it('passes over the day that Apia left out', () => {
    const apia = zone('Pacific/Apia');
    const found = windowIntervals('lastWeek', Date.parse('2012-01-04T00:00:00Z'), apia);
    expect(found).toHaveLength(6);
    expect(contiguous(found)).toBe(true);
    const two = windowIntervals('last2Days', Date.parse('2011-12-31T00:00:00Z'), apia);
    expect(two.map(([at]) => wall(at, apia).day)).toEqual([28, 29]);
  });
});

describe('windows of versions', () => {
  const start = Date.parse('2026-11-01T02:00:00Z');
  const daily = {
    before: (at: number) => (at > start ? start + (Math.ceil((at - start) / DAY) - 1) * DAY : undefined),
    after: (at: number) => start + Math.max(0, Math.floor((at - start) / DAY) + 1) * DAY,
  };
  const utc = zone('UTC');

  it('are the exact business times of the ticks', () => {
    const at = start + 5 * DAY;
    expect(windowIntervals({ offset: -2, count: 2 }, at, utc, daily)).toEqual([
      [at - 2 * DAY, at - 2 * DAY + 1],
      [at - DAY, at - DAY + 1],
    ]);
    expect(windowIntervals({ offset: -1, count: 1 }, start, utc, daily)).toEqual([]);
  });

  it('need a schedule', () => {
    expect(() => windowIntervals({ offset: -1, count: 1 }, start, utc)).toThrow('has a schedule');
  });
});

it('refuses an unknown window with the names of all', () => {
  expect(() => windowIntervals('toString' as DateValue, 0, zone('UTC'))).toThrow(
    /unknown window "toString" .* currentHour .* lastMonthEnd/,
  );
});
