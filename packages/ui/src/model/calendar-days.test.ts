import { describe, expect, it } from 'vitest';
import { daysText, readDays } from './calendar-days.ts';

describe('days that are typed', () => {
  it('are sorted by kind, each once, and are written so that they read the same', () => {
    const typed = 'Sunday, 2027-01-01 12-25\n2026-05-01 sunday';
    const read = readDays(typed);
    expect(read).toEqual({
      dates: ['2026-05-01', '2027-01-01'],
      yearly: ['12-25'],
      weekdays: ['sunday'],
      wrong: undefined,
    });
    const { wrong: _, ...days } = read;
    expect(readDays(daysText({ ...days, weekdays: [0] }))).toEqual(read);
  });

  it('name the first word that is none', () => {
    expect(readDays('2027-1-1 funday').wrong).toBe('2027-1-1');
    expect(readDays('').wrong).toBeUndefined();
  });
});
