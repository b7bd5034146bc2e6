import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { zone } from '../time/zone.ts';
import { namedDay } from './named-day.ts';

const utc = zone('UTC');
const reference = Date.parse(`${vectors.timeParam.reference.replace(' ', 'T')}Z`);

describe('named days', () => {
  it.each(vectors.timeParam.cases)('%s is %s', (text, expected) => {
    expect(namedDay(text, reference, utc)).toBe(expected);
  });

  // 5 November 2020 was a Thursday.
  it.each([
    ['Sunday', '2020-11-08'],
    ['lastMonday', '2020-10-26'],
    ['nextSunday', '2020-11-15'],
    ['weekFirstDay', '2020-11-02'],
    ['weekLastDay', '2020-11-08'],
    ['lastWeekLastDay', '2020-11-01'],
    ['nextWeekFirstDay', '2020-11-09'],
    ['monthLastDay', '2020-11-30'],
    ['lastMonthFirstDay', '2020-10-01'],
    ['lastMonthLastDay', '2020-10-31'],
    ['nextMonthLastDay', '2020-12-31'],
    ['lastMonthLastDay,1M', '2020-11-30'],
    ['monthFirstDay,-2w', '2020-10-18'],
    ['yyyy-MM-dd HH:mm:ss,monthFirstDay,-90s', '2020-10-31 23:58:30'],
    ['yyyy-MM-dd HH:mm,monthFirstDay,+5m', '2020-11-01 00:05'],
    ['yyyy,MM,dd,Monday', '2020,11,02'],
  ])('%s is %s', (text, expected) => {
    expect(namedDay(text, reference, utc)).toBe(expected);
  });

  it('means the midnight of the day, whatever the hour of the reference', () => {
    const evening = reference + 20 * 3_600_000;
    expect(namedDay('yyyyMMdd HH:mm:ss,Monday,-1h', evening, utc)).toBe('20201101 23:00:00');
    expect(namedDay('yyyyMMdd HH,-1d', evening, utc)).toBe('20201104 20');
  });

  it('counts days on the calendar of the zone', () => {
    // 25 October 2020 had 25 hours in Berlin.
    const berlin = zone('Europe/Berlin');
    const after = Date.parse('2020-10-26T12:00:00Z');
    expect(namedDay('MM-dd HH,Monday,-1d', after, berlin)).toBe('10-25 00');
    expect(namedDay('MM-dd HH,Monday,-24h', after, berlin)).toBe('10-25 01');
  });

  it('refuses what names no day, with the names', () => {
    expect(() => namedDay('Mondy', reference, utc)).toThrow(/"Mondy" is neither .* Monday Tuesday/);
    expect(() => namedDay('Mondy,-1d', reference, utc)).toThrow('date format "Mondy" does not know "o"');
    expect(() => namedDay('Monday,-1y', reference, utc)).toThrow('is neither a named day nor a span');
  });
});
