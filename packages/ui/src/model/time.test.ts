import { describe, expect, it } from 'vitest';
import { absoluteTime, duration, interval, isNear, roughDuration, timeParts, zoneOf } from './time.ts';

const at = Date.parse('2026-03-01T00:00:07.123Z');

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [842, '842 ms'],
    [999.9, '999 ms'],
    [12_449, '12.4 s'],
    [59_999, '59.9 s'],
    [187_000, '3 m 07 s'],
    [3_599_999, '59 m 59 s'],
    [8_040_000, '2 h 14 m'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 ms'],
  ])('of %i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [20_000, '20 s'],
    [3_600_000, '1 h'],
    [5_400_000, '1 h 30 m'],
    [1_500, '1 s 500 ms'],
    [0, '0 s'],
  ])('that was chosen as %i ms is %s', (ms, text) => {
    expect(interval(ms)).toBe(text);
  });

  it('takes the units of a language', () => {
    expect(duration(187_000, { ms: ' 毫秒', s: ' 秒', m: ' 分', h: ' 小时', d: ' 天' })).toBe('3 分 07 秒');
  });

  it('is one unit where only the order matters', () => {
    expect([45_900, 6 * 3_600_000, 3 * 86_400_000].map((ms) => roughDuration(ms))).toEqual([
      '45 s',
      '6 h',
      '3 d',
    ]);
  });
});

describe('a time', () => {
  it('names its zone', () => {
    expect(absoluteTime(at, 'Asia/Shanghai')).toBe('2026-03-01 08:00:07 UTC+8');
    expect(absoluteTime(at, 'UTC')).toBe('2026-03-01 00:00:07 UTC');
    expect(absoluteTime(at, 'Asia/Kolkata')).toBe('2026-03-01 05:30:07 UTC+5:30');
    expect(timeParts(at, 'UTC').fraction).toBe('.123');
  });

  it('is near within a day, before and after', () => {
    expect([isNear(at, at + 86_399_999), isNear(at, at - 86_399_999), isNear(at, at + 86_400_000)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a choice of zone', () => {
  it('takes that of the schedule where there is one that is known', () => {
    expect(zoneOf('schedule', 'Asia/Shanghai')).toBe('Asia/Shanghai');
    expect(zoneOf('utc', 'Asia/Shanghai')).toBe('UTC');
    expect(zoneOf('schedule', 'Mars/Olympus')).toBe(zoneOf('browser'));
  });
});
