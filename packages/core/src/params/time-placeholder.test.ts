import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, fields, instant, wall, type Zone, zone } from '../time/zone.ts';
import { timePlaceholder } from './time-placeholder.ts';

const utc = zone('UTC');
const newYork = zone('America/New_York');

function print(expression: string, at: string, inZone: Zone = utc): string {
  return timePlaceholder(expression, Date.parse(at), inZone);
}

const at = '2026-11-15T07:08:09.010Z';

describe('formats', () => {
  it.each([
    ['yyyy-MM-dd HH:mm:ss.SSS', '2026-11-15 07:08:09.010'],
    ['yy/M/d H:m:s', '26/11/15 7:8:9'],
    ["yyyy-MM-dd'T'HH:mm", '2026-11-15T07:08'],
    ["yyyy''MM", "2026'11"],
    ["yyyy'it''s'MM", "2026it's11"],
    ['yyyy年MM月dd日', '2026年11月15日'],
    ['yyyy,MM,dd', '2026,11,15'],
    ['yyyyMMdd000000', '20261115000000'],
  ])('%s prints %s', (format, expected) => {
    expect(print(format, at)).toBe(expected);
  });
});

describe('offsets', () => {
  it.each([
    ['yyyy-MM-dd HH:mm:ss-1', '2026-11-14 07:08:09'],
    ['yyyyMMdd 00:00:00-1', '20261114 00:00:00'],
    ['yyyyMMdd + 1', '20261116'],
    ['yyyyMMdd+(1+2)*7', '20261206'],
    ['yyyyMMdd-(1+1)/1', '20261113'],
    ['HH:mm:ss+2*3/24', '13:08:09'],
    ['HH:mm:ss+30/24/60/60', '07:08:39'],
    ['yyyyMMdd HH-1-2/24', '20261114 05'],
    ['yyyyMMdd+-1', '20261114'],
    ['yyyyMMdd-0', '20261115'],
  ])('%s gives %s', (expression, expected) => {
    expect(print(expression, at)).toBe(expected);
  });

  it('reads a number with a leading zero, or in quotes, as text', () => {
    expect(print('yyyy-MM-01', at)).toBe('2026-11-01');
    expect(print("yyyy-MM-'15'", at)).toBe('2026-11-15');
    expect(print('yyyy-MM-01 00:00:00+08:00', at)).toBe('2026-11-01 00:00:00+08:00');
    expect(print('yyyy-MM-01-20', at)).toBe('2026-10-01');
  });

  it('counts a day by the calendar and an hour by the clock where clocks change', () => {
    // New York went forward at 02:00 on 8 March 2026: that day had 23 hours.
    const noon = '2026-03-08T16:00:00Z';
    expect(print('yyyyMMdd HH:mm-1', noon, newYork)).toBe('20260307 12:00');
    expect(print('yyyyMMdd HH:mm-24/24', noon, newYork)).toBe('20260307 11:00');
    expect(print('yyyyMMdd HH:mm-7*24/24', noon, newYork)).toBe('20260301 11:00');
  });

  it('leaves the business time on its side of a repeated hour', () => {
    // 01:30 happened twice on 1 November 2026; these are both of them.
    expect(print('HH:mm-1/24', '2026-11-01T05:30:00Z', newYork)).toBe('00:30');
    expect(print('HH:mm-1/24', '2026-11-01T06:30:00Z', newYork)).toBe('01:30');
    expect(print('timestamp(yyyyMMddHHmmss)', '2026-11-01T05:30:00Z', newYork)).toBe(
      String(Date.parse('2026-11-01T05:30:00Z') / 1000),
    );
  });

  it('keeps the time of day and moves the date by whole days, in any zone', () => {
    const zones = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: -4000, max: 4000 }),
        (name, time, days) => {
          const there = zone(name);
          const shown = wall(time, there);
          const moved = fields(
            Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) + days * DAY,
          );
          // A time of day inside a gap does not exist on that date.
          fc.pre(wall(instant(moved, there), there).hour === moved.hour);
          const two = (value: number) => String(value).padStart(2, '0');
          expect(timePlaceholder(`yyyyMMddHHmm${days < 0 ? days : `+${days}`}`, time, there)).toBe(
            [moved.year, moved.month, moved.day, shown.hour, shown.minute].map(two).join(''),
          );
        },
      ),
    );
  });
});

describe('functions', () => {
  it.each([
    ['add_months(yyyy-MM-dd,1)', '2026-01-31T00:00:00Z', '2026-02-28'],
    ['add_months(yyyy-MM-dd,1)', '2028-01-31T00:00:00Z', '2028-02-29'],
    ['add_months(yyyy-MM-dd,-12*1)', '2028-02-29T00:00:00Z', '2027-02-28'],
    ['month_last_day(yyyy-MM-dd,0)', '2028-02-01T00:00:00Z', '2028-02-29'],
    ['month_first_day(yyyy-MM-dd,+2)', '2026-11-15T00:00:00Z', '2027-01-01'],
    ['week_last_day(yyyy-MM-dd,0)', '2026-11-15T00:00:00Z', '2026-11-15'],
    ['month_begin(yyyy,MM,dd,3)', '2026-11-15T00:00:00Z', '2026,11,04'],
    ['last_day(yyyyMMdd HH)', '2026-03-01T05:00:00Z', '20260228 05'],
    ['timestamp(yyyyMMddHHmmss-1)', '2026-11-15T00:00:00Z', '1794614400'],
    ['timestamp( yyyyMMddHH0000 )', '2026-11-15T07:08:09Z', '1794726000'],
  ])('%s at %s is %s', (expression, time, expected) => {
    expect(print(expression, time)).toBe(expected);
  });

  it('numbers a week with the year that the week belongs to', () => {
    expect(print('year_week(yyyy-MM-dd)', '2021-01-01T00:00:00Z')).toBe('2020-53');
    expect(print('year_week(yyyyMMdd)', '2024-12-30T00:00:00Z')).toBe('202501');
    expect(print('year_week(yyyy/MM/dd,7)', '2026-01-04T00:00:00Z')).toBe('2026/01');
  });

  it('prints named days too', () => {
    expect(print('yyyyMMdd,lastFriday', at)).toBe('20261106');
    expect(print('yyyyMMdd,-1d', at)).toBe('20261114');
  });
});

describe('refusals', () => {
  it.each([
    ['add_month(yyyyMMdd,1)', 'does not know "a"'],
    ['yyyyMMdd+1/25', '1/25 is not a whole number'],
    ['yyyyMMdd+1/0', '1/0 is not a whole number'],
    ['yyyyMMdd+3/', 'is not an expression of whole numbers'],
    ['yyyyMMdd+(3', 'is not an expression of whole numbers'],
    ['yyyyMMdd+10:00', 'has ":"'],
    ['yyyyMMdd+9999999999', 'outside the years 1 to 9999'],
    ['yyyyMMdd+99999999999999999/24', 'is too large'],
    ["yyyy'MM", 'an unclosed quote'],
    ['YYYY', 'does not know "YYYY"'],
    ['add_months(yyyyMMdd)', 'add_months takes a format and a number'],
    ['month_begin(yyyyMMdd,x)', 'has "x"'],
    ['year_week(yyyyMMdd,8)', 'the first day of a week is 1'],
    ['year_week(MMdd)', 'begins with yyyy'],
    ['timestamp(yyyyMMdd)', 'timestamp needs a text in the form yyyyMMddHHmmss'],
    ['timestamp(yyyyMM99HHmmss)', 'timestamp needs a text in the form yyyyMMddHHmmss'],
    ['y'.repeat(300), 'longer than 256 characters'],
  ])('%s', (expression, message) => {
    expect(() => print(expression, at)).toThrow(message);
    expect(() => print(expression, at)).toThrow('accepted: a date format with ±N days');
  });
});
