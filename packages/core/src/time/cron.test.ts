import { describe, expect, it } from 'vitest';
import { type Cron, cronNext, cronPrevious } from './cron.ts';
import { parseCron } from './cron-parse.ts';
import { wall, type Zone, zone } from './zone.ts';

const utc = zone('UTC');
const newYork = zone('America/New_York');
const at = (iso: string) => Date.parse(iso);

function walk(cron: Cron, here: Zone, from: number, to: number): number[] {
  const found: number[] = [];
  for (
    let tick = cronNext(cron, from, here);
    tick !== undefined && tick <= to;
    tick = cronNext(cron, tick, here)
  ) {
    found.push(tick);
  }
  return found;
}

describe('cron', () => {
  it('fires strictly after the instant asked for, at whole seconds', () => {
    const cron = parseCron('0/5 * * * * ?');
    expect(cronNext(cron, at('2026-01-01T00:00:00Z'), utc)).toBe(at('2026-01-01T00:00:05Z'));
    expect(cronNext(cron, at('2026-01-01T00:00:04.999Z'), utc)).toBe(at('2026-01-01T00:00:05Z'));
    expect(cronPrevious(cron, at('2026-01-01T00:00:05Z'), utc)).toBe(at('2026-01-01T00:00:00Z'));
    expect(cronPrevious(cron, at('2026-01-01T00:00:05.001Z'), utc)).toBe(at('2026-01-01T00:00:05Z'));
  });

  it('passes over a time that the clocks leave out', () => {
    const cron = parseCron('0 30 2 * * ?');
    expect(walk(cron, newYork, at('2026-03-07T00:00:00Z'), at('2026-03-10T00:00:00Z'))).toEqual([
      at('2026-03-07T07:30:00Z'),
      at('2026-03-09T06:30:00Z'),
    ]);
    expect(cronPrevious(cron, at('2026-03-09T06:30:00Z'), newYork)).toBe(at('2026-03-07T07:30:00Z'));
    expect(cronPrevious(cron, at('2026-03-08T07:30:00Z'), newYork)).toBe(at('2026-03-07T07:30:00Z'));
    const lastSecond = parseCron('59 59 1,2 * * ?');
    expect(cronPrevious(lastSecond, at('2026-03-08T07:30:00Z'), newYork)).toBe(at('2026-03-08T06:59:59Z'));
  });

  it('fires once, at the second showing, for a time that the clocks show twice', () => {
    const cron = parseCron('0 30 1 * * ?');
    expect(walk(cron, newYork, at('2026-11-01T00:00:00Z'), at('2026-11-02T12:00:00Z'))).toEqual([
      at('2026-11-01T06:30:00Z'),
      at('2026-11-02T06:30:00Z'),
    ]);
  });

  it.each([
    '0 0 0 30 2 ?',
    '0 0 0 31 4,6,9,11 ?',
    '0 0 0 L-30 2 ?',
    '0 0 0 31W 4 ?',
    '0 0 0 1 1 ? 2020',
    '0 0 30 2 *',
  ])('%s never fires again', (text) => {
    expect(cronNext(parseCron(text), at('2026-01-01T00:00:00Z'), newYork)).toBeUndefined();
  });

  it('ends with the year 2099 and begins with 1970, on the clock of the zone', () => {
    const cron = parseCron('0 0 0 * * ?');
    expect(cronNext(cron, at('2099-12-30T12:00:00Z'), newYork)).toBe(at('2099-12-31T05:00:00Z'));
    expect(cronNext(cron, at('2099-12-31T05:00:00Z'), newYork)).toBeUndefined();
    expect(cronNext(cron, Number.NEGATIVE_INFINITY, newYork)).toBe(at('1970-01-01T05:00:00Z'));
    expect(cronPrevious(cron, at('1970-01-01T05:00:00Z'), newYork)).toBeUndefined();
    expect(cronPrevious(cron, Number.POSITIVE_INFINITY, newYork)).toBe(at('2099-12-31T05:00:00Z'));
    for (const beyond of [Number.POSITIVE_INFINITY, Number.NaN, 1e18]) {
      expect(cronNext(cron, beyond, newYork)).toBeUndefined();
    }
    for (const before of [Number.NEGATIVE_INFINITY, Number.NaN, -1e18]) {
      expect(cronPrevious(cron, before, newYork)).toBeUndefined();
    }
  });

  it('of Unix fires on a day that either day field accepts, where both are given', () => {
    const cron = parseCron('0 0 13 * fri');
    expect(
      walk(cron, utc, at('2026-02-07T00:00:00Z'), at('2026-02-28T00:00:00Z')).map(
        (tick) => wall(tick, utc).day,
      ),
    ).toEqual([13, 20, 27]);
    const stepped = parseCron('0 0 */10 * fri');
    expect(
      walk(stepped, utc, at('2026-02-01T12:00:00Z'), at('2026-02-28T00:00:00Z')).map(
        (tick) => wall(tick, utc).day,
      ),
    ).toEqual([6, 11, 13, 20, 21, 27]);
  });
});
