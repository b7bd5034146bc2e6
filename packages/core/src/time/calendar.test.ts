import { describe, expect, it } from 'vitest';
import { excludes, parseCalendar } from './calendar.ts';
import { zone } from './zone.ts';

const utc = zone('UTC');
const at = (iso: string) => Date.parse(iso);

describe('calendars', () => {
  const holidays = parseCalendar({
    name: 'holidays',
    dates: ['2026-10-01'],
    weekdays: ['sat', 'SUN'],
    yearly: ['12-25', '02-29', '02-02'],
  });

  it.each([
    ['2026-10-01T00:00:00Z', true],
    ['2026-10-01T23:59:59Z', true],
    ['2025-10-01T12:00:00Z', false],
    ['2026-10-02T00:00:00Z', false],
    ['2026-10-03T12:00:00Z', true],
    ['2026-10-04T12:00:00Z', true],
    ['2026-12-25T12:00:00Z', true],
    ['2030-12-25T12:00:00Z', true],
    ['2028-02-29T12:00:00Z', true],
    ['2028-02-28T12:00:00Z', false],
    ['2026-02-02T12:00:00Z', true],
    ['2026-01-12T12:00:00Z', false],
  ])('on %s exclude: %s', (iso, expected) => {
    expect(excludes(holidays, at(iso), utc)).toBe(expected);
  });

  it('mean the local day of the zone', () => {
    const shanghai = zone('Asia/Shanghai');
    expect(excludes(holidays, at('2026-09-30T15:59:59Z'), shanghai)).toBe(false);
    expect(excludes(holidays, at('2026-09-30T16:00:00Z'), shanghai)).toBe(true);
    expect(excludes(holidays, at('2026-10-01T16:00:00Z'), shanghai)).toBe(false);
  });

  it('without rules exclude nothing', () => {
    expect(excludes(parseCalendar({ name: 'none' }), at('2026-10-03T12:00:00Z'), utc)).toBe(false);
  });

  it.each([
    [{ dates: ['2026-02-29'] }, '"2026-02-29" is not a day'],
    [{ dates: ['2026-13-01'] }, 'accepted are existing days such as 2026-10-01'],
    [{ dates: ['10-01'] }, '"10-01" is not a day'],
    [{ yearly: ['02-30'] }, '"02-30" is not a day'],
    [{ yearly: ['2026-10-01'] }, 'such as 12-25'],
    [{ weekdays: ['funday'] }, 'weekday "funday"; accepted are sun, mon'],
  ])('refuse %j', (rules, message) => {
    expect(() => parseCalendar({ name: 'x', ...rules })).toThrow(message);
    expect(() => parseCalendar({ name: 'x', ...rules })).toThrow('calendar "x"');
  });
});
