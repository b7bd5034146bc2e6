import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysInMonth, fields, instant, localMillis, wall, zone } from './zone.ts';

const at = (iso: string) => Date.parse(iso);

describe('zones', () => {
  it('shows the wall clock of an instant', () => {
    expect(wall(at('2026-11-15T07:08:09.010Z'), zone('Asia/Shanghai'))).toEqual({
      year: 2026,
      month: 11,
      day: 15,
      hour: 15,
      minute: 8,
      second: 9,
      ms: 10,
      weekday: 0,
    });
  });

  it('moves a time inside a gap on by the length of the gap', () => {
    const newYork = zone('America/New_York');
    expect(instant({ year: 2026, month: 3, day: 8, hour: 2, minute: 30 }, newYork)).toBe(
      at('2026-03-08T07:30:00Z'),
    );
    const lordHowe = zone('Australia/Lord_Howe');
    expect(instant({ year: 2026, month: 10, day: 4, hour: 2, minute: 15 }, lordHowe)).toBe(
      at('2026-10-03T15:45:00Z'),
    );
  });

  it('takes the second of two equal times', () => {
    expect(instant({ year: 2026, month: 11, day: 1, hour: 1, minute: 30 }, zone('America/New_York'))).toBe(
      at('2026-11-01T06:30:00Z'),
    );
  });

  it('knows the day that Apia left out', () => {
    const apia = zone('Pacific/Apia');
    expect(wall(at('2011-12-30T09:59:59Z'), apia)).toMatchObject({ month: 12, day: 29, hour: 23 });
    expect(wall(at('2011-12-30T10:00:00Z'), apia)).toMatchObject({ month: 12, day: 31, hour: 0 });
  });

  it('moves a time on the day that Apia left out to the day after', () => {
    const apia = zone('Pacific/Apia');
    for (const hour of [0, 9, 14, 23]) {
      const moved = instant({ year: 2011, month: 12, day: 30, hour, minute: 30 }, apia);
      expect(wall(moved, apia)).toMatchObject({ month: 12, day: 31, hour, minute: 30 });
    }
    expect(instant({ year: 2011, month: 12, day: 29, hour: 23 }, apia)).toBe(at('2011-12-30T09:00:00Z'));
    expect(instant({ year: 2011, month: 12, day: 31 }, apia)).toBe(at('2011-12-30T10:00:00Z'));
  });

  it('reads offsets of whole seconds', () => {
    expect(zone('Africa/Monrovia').offsetAt(0)).toBe(-(44 * 60 + 30) * 1_000);
  });

  it('gives every instant to one span, and every local time to at most one', () => {
    // Spans are read in pieces: the walk crosses their edges and every change of offset since 1970.
    for (const name of ['America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca']) {
      const here = zone(name);
      let span = here.spanAt(0);
      while (span.to < at('2030-01-01T00:00:00Z')) {
        expect(here.spanAt(span.to - 1)).toEqual(span);
        const next = here.spanAt(span.to);
        expect(next.from).toBe(span.to);
        expect(next.localFrom).toBeGreaterThanOrEqual(span.localTo);
        expect(next.localTo).toBeGreaterThanOrEqual(next.localFrom);
        span = next;
      }
    }
  });

  it('refuses an unknown zone by name', () => {
    expect(() => zone('Mars/Olympus')).toThrow('unknown time zone "Mars/Olympus"');
  });

  it('inverts: fields of any local time lead back to it, and agree with the Gregorian calendar of Date', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5e12, max: 2e14 }), (ms) => {
        const date = new Date(ms);
        const shown = fields(ms);
        expect(localMillis(shown)).toBe(ms);
        expect([shown.year, shown.month, shown.day, shown.weekday]).toEqual([
          date.getUTCFullYear(),
          date.getUTCMonth() + 1,
          date.getUTCDate(),
          date.getUTCDay(),
        ]);
        expect(daysInMonth(shown.year, shown.month)).toBe(
          new Date(Date.UTC(2000, shown.month, 0)).getUTCDate() -
            (shown.month === 2 && new Date(Date.UTC(shown.year, 1, 29)).getUTCMonth() !== 1 ? 1 : 0),
        );
      }),
    );
  });

  it('inverts in every zone except inside a gap or an overlap', () => {
    const names = [
      'America/New_York',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Asia/Kolkata',
      'America/Sao_Paulo',
      '+05:45',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.integer({ min: 0, max: 4e12 }), (name, ms) => {
        const here = zone(name);
        const back = instant(wall(ms, here), here);
        expect([ms, ms + 3_600_000, ms + 1_800_000]).toContain(back);
      }),
    );
  });
});
