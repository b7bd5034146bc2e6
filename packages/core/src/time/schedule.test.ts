import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excludes, parseCalendar } from './calendar.ts';
import { DAY, HOUR, MINUTE } from './civil.ts';
import { parseCron } from './cron-parse.ts';
import { formatIso } from './format-time.ts';
import { interval } from './interval.ts';
import { nextTick, previousTick, type Timing, ticksBetween } from './schedule.ts';
import { zone } from './zone.ts';

const utc = zone('UTC');
const at = (iso: string) => Date.parse(iso);
const weekend = parseCalendar({ name: 'weekend', weekdays: ['sat', 'sun'] });
const everything = parseCalendar({
  name: 'everything',
  yearly: Array.from({ length: 366 }, (_, i) =>
    formatIso(at('2000-01-01T00:00:00Z') + i * DAY, utc).slice(5, 10),
  ),
});

describe('timing', () => {
  it('stays in its window, which holds both of its ends', () => {
    const timing: Timing = {
      cron: parseCron('0 0 * * * ?'),
      zone: utc,
      from: at('2026-01-01T10:00:00Z'),
      until: at('2026-01-01T12:00:00Z'),
    };
    const all = [at('2026-01-01T10:00:00Z'), at('2026-01-01T11:00:00Z'), at('2026-01-01T12:00:00Z')];
    expect(ticksBetween(timing, 0, at('2030-01-01T00:00:00Z'), 10)).toEqual(all);
    expect(nextTick(timing, all[2])).toBeUndefined();
    expect(previousTick(timing, at('2030-01-01T00:00:00Z'))).toBe(all[2]);
    expect(previousTick(timing, all[1])).toBe(all[0]);
    expect(previousTick(timing, all[0])).toBeUndefined();
  });

  it('with an empty window has no ticks', () => {
    const timing: Timing = { every: interval(1_000, 0), zone: utc, from: 10_000, until: 9_000 };
    expect(nextTick(timing, 0)).toBeUndefined();
    expect(previousTick(timing, 1e12)).toBeUndefined();
  });

  it('passes over the days its calendar excludes', () => {
    const timing: Timing = { cron: parseCron('0 0 12 * * ?'), zone: utc, calendar: weekend };
    expect(ticksBetween(timing, at('2026-10-01T12:00:00Z'), at('2026-10-06T12:00:00Z'), 10)).toEqual([
      at('2026-10-02T12:00:00Z'),
      at('2026-10-05T12:00:00Z'),
      at('2026-10-06T12:00:00Z'),
    ]);
    expect(previousTick(timing, at('2026-10-05T12:00:00Z'))).toBe(at('2026-10-02T12:00:00Z'));
  });

  it('of an interval keeps its beat across excluded days', () => {
    const timing: Timing = {
      every: interval(7 * HOUR, at('2026-10-02T00:00:00Z')),
      zone: utc,
      calendar: weekend,
    };
    expect(nextTick(timing, at('2026-10-02T21:00:00Z'))).toBe(at('2026-10-05T05:00:00Z'));
    expect(previousTick(timing, at('2026-10-05T05:00:00Z'))).toBe(at('2026-10-02T21:00:00Z'));
  });

  it.each([
    [
      'all weekdays',
      parseCalendar({ name: 'week', weekdays: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }),
    ],
    ['every day of the year', everything],
  ])('answers never if its calendar excludes %s', (_, calendar) => {
    const cron: Timing = { cron: parseCron('* * * * * ?'), zone: zone('America/New_York'), calendar };
    const every: Timing = { every: interval(1, 0), zone: zone('America/New_York'), calendar };
    for (const timing of [cron, every]) {
      expect(nextTick(timing, at('2026-01-01T00:00:00Z'))).toBeUndefined();
      expect(previousTick(timing, at('2026-01-01T00:00:00Z'))).toBeUndefined();
    }
  });

  it('finds a leap day that falls on a working day', () => {
    const timing: Timing = { cron: parseCron('0 0 0 29 2 ?'), zone: utc, calendar: weekend };
    expect(nextTick(timing, at('2041-01-01T00:00:00Z'))).toBe(at('2044-02-29T00:00:00Z'));
    expect(nextTick(timing, at('2045-01-01T00:00:00Z'))).toBe(at('2052-02-29T00:00:00Z'));
  });

  it('gives at most as many ticks as asked for', () => {
    const timing: Timing = { every: interval(1_000, 0), zone: utc };
    expect(ticksBetween(timing, 0, 1e12, 3)).toEqual([1_000, 2_000, 3_000]);
    expect(ticksBetween(timing, 0, 1e12, 0)).toEqual([]);
  });

  it('is the cron or interval without excluded days, from every side', () => {
    // Offsets change at midnight in some of these zones, once even back into the day before.
    const zones = fc.constantFrom<[string, string]>(
      ['UTC', '2026-01-01T00:00:00Z'],
      ['America/Havana', '2026-10-30T00:00:00Z'],
      ['America/St_Johns', '2010-11-05T00:00:00Z'],
      ['America/Sao_Paulo', '2018-11-01T00:00:00Z'],
      ['Pacific/Apia', '2011-12-27T00:00:00Z'],
    );
    const rhythms = fc.constantFrom(
      { cron: parseCron('0 0/20 * * * ?') },
      { cron: parseCron('0 30 0,23 * * ?') },
      { every: interval(20 * MINUTE, 0) },
      { every: interval(7 * HOUR, 0) },
    );
    const excluded = fc.subarray(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'], { maxLength: 6 });
    fc.assert(
      fc.property(zones, rhythms, excluded, ([name, iso], rhythm, weekdays) => {
        const calendar = parseCalendar({ name: 'some', weekdays });
        const plain: Timing = { ...rhythm, zone: zone(name) };
        const timing: Timing = { ...plain, calendar };
        const to = at(iso) + 8 * DAY;
        const expected = ticksBetween(plain, at(iso), to, 1_000).filter(
          (tick) => !excludes(calendar, tick, plain.zone),
        );
        expect(ticksBetween(timing, at(iso), to, 1_000)).toEqual(expected);
        const backwards: number[] = [];
        for (
          let tick = previousTick(timing, to + 1);
          tick !== undefined && tick > at(iso);
          tick = previousTick(timing, tick)
        ) {
          backwards.unshift(tick);
        }
        expect(backwards).toEqual(expected);
      }),
    );
  });
});
