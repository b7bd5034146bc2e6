import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIso } from './format-time.ts';
import { lastInstantOf, parseTime, readTime } from './parse-time.ts';
import { zone } from './zone.ts';

const newYork = zone('America/New_York');

describe('written times', () => {
  it.each([
    ['2021-01-31', '2021-01-31T05:00:00Z'],
    ['2021/01/31', '2021-01-31T05:00:00Z'],
    ['20210131', '2021-01-31T05:00:00Z'],
    [' 2021-07-31 08:30 ', '2021-07-31T12:30:00Z'],
    ['2021-07-31 08:30:15', '2021-07-31T12:30:15Z'],
    ['20210731 08:30:15', '2021-07-31T12:30:15Z'],
    ['20210731 083015', '2021-07-31T12:30:15Z'],
    ['2021-07-31T08:30', '2021-07-31T12:30:00Z'],
    ['2021-07-31T08:30:15.5', '2021-07-31T12:30:15.500Z'],
    ['2021-07-31T08:30:15.123456789', '2021-07-31T12:30:15.123Z'],
    ['2021-07-31T08:30Z', '2021-07-31T08:30:00Z'],
    ['2021-07-31T08:30:00+08:00', '2021-07-31T00:30:00Z'],
    ['2021-07-31T08:30:00-0530', '2021-07-31T14:00:00Z'],
    ['2021-07-31 08:30:00+08', '2021-07-31T00:30:00Z'],
  ])('reads %s', (text, iso) => {
    expect(parseTime(text, newYork)).toBe(Date.parse(iso));
  });

  it('keeps apart what is written and where it is', () => {
    expect(readTime('2021-07-31T08:30:00+08:00')).toEqual({
      wall: { year: 2021, month: 7, day: 31, hour: 8, minute: 30, second: 0, ms: 0 },
      offset: 8 * 3_600_000,
    });
    expect(readTime('2021-07-31').offset).toBeUndefined();
  });

  it.each([
    '',
    'tomorrow',
    '2021-1-1',
    '2021-01/01',
    '2021:01:01',
    '2021-02-29',
    '2021-00-10',
    '2021-13-01',
    '2021-04-31',
    '20210101010101',
    '2021-01-01 010101',
    '20210101 0101',
    '20210101 250101',
    '2021-01-01 24:00:00',
    '2021-01-01 12:60',
    '2021-01-01 12:00:60',
    '2021-01-01 12',
    '2021-01-01Z',
    '2021-01-01T12:00:00+24:00',
  ])('refuses "%s"', (text) => {
    expect(() => parseTime(text, newYork)).toThrow(`time "${text}"`);
  });

  it('reads back what formatIso writes, in every zone', () => {
    const names = [
      'UTC',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Africa/Monrovia',
      '-03:30',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.integer({ min: -1e12, max: 4e12 }), (name, ms) => {
        expect(parseTime(formatIso(ms, zone(name)), newYork)).toBe(ms);
      }),
    );
  });
});

describe('the last instant of a written time', () => {
  it.each([
    ['2021-01-31', '2021-02-01T04:59:59.999Z'],
    ['20211231', '2022-01-01T04:59:59.999Z'],
    // A day of 23 hours.
    ['2021-03-14', '2021-03-15T03:59:59.999Z'],
    ['2021-01-31 08:30', '2021-01-31T13:30:00Z'],
    ['2021-01-31T08:30:00Z', '2021-01-31T08:30:00Z'],
    ['20210131 083000', '2021-01-31T13:30:00Z'],
  ])('of %s is %s', (text, expected) => {
    expect(lastInstantOf(text, newYork)).toBe(Date.parse(expected));
  });
});
