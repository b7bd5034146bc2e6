import { describe, expect, it } from 'vitest';
import { formatDuration, formatIso } from './format-time.ts';
import { zone } from './zone.ts';

describe('formatIso', () => {
  it.each([
    ['2026-03-08T07:30:00Z', 'America/New_York', '2026-03-08T03:30:00-04:00'],
    ['2026-11-15T07:08:09.010Z', 'Asia/Shanghai', '2026-11-15T15:08:09.010+08:00'],
    ['2026-03-08T07:30:00Z', 'UTC', '2026-03-08T07:30:00Z'],
    ['2026-01-08T07:30:00Z', 'Europe/London', '2026-01-08T07:30:00+00:00'],
    ['2026-01-08T07:30:00Z', 'America/St_Johns', '2026-01-08T04:00:00-03:30'],
    ['1970-01-01T00:00:00Z', 'Africa/Monrovia', '1969-12-31T23:15:30-00:44:30'],
    ['0099-01-01T00:00:00Z', 'UTC', '0099-01-01T00:00:00Z'],
  ])('writes %s in %s as %s', (iso, name, text) => {
    expect(formatIso(Date.parse(iso), zone(name))).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [350, '350ms'],
    [1_999, '1s'],
    [60_000, '1m'],
    [86_410_000, '1d 10s'],
    [90_061_000, '1d 1h 1m 1s'],
    [400 * 86_400_000, '400d'],
    [-1, undefined],
    [Number.NaN, undefined],
  ])('writes %s ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
