/**
 * The suites of dolphinscheduler-cases.json about time. Where Orrery deliberately differs, the case is listed
 * with the reason and left out; nothing else is.
 */
import { describe, expect, it } from 'vitest';
import fixture from '../../fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import { InvalidInput } from '../errors.ts';
import { parseCron } from './cron-parse.ts';
import { formatDuration, formatIso } from './format-time.ts';
import { cronLevel } from './level.ts';
import { parseTime } from './parse-time.ts';
import { ticksBetween } from './schedule.ts';
import { instant, wall, zone } from './zone.ts';

const DIFFERENT: Readonly<Record<string, string>> = {
  'cron-expire-02': 'no end of a cycle is kept: dependents ask for intervals of business time instead',
  'cron-expire-03': 'the end of a week is not the end of its first day',
  'cron-expire-04': 'the end of a month is not the end of its first day',
  'calendar-11': 'a date without a time means midnight, as the dates of the Python SDK do',
};

interface Case {
  id: string;
  input: Record<string, string | number | boolean>;
  expect: unknown;
}

const utc = zone('UTC');
const suite = (id: string): Case[] => {
  const found = fixture.suites.find((one) => one.id === id);
  if (!found) throw new Error(`no suite ${id}`);
  return found.cases as unknown as Case[];
};
const kept = (id: string): [string, Case][] =>
  suite(id)
    .filter((one) => !(one.id in DIFFERENT))
    .map((one) => [one.id, one]);
const text = (value: unknown) => String(value);
const shown = (at: number) => formatIso(at, utc).replace('T', ' ').replace('Z', '');

describe('DolphinScheduler cases', () => {
  it.each(kept('cron'))('%s', (_, { input, expect: expected }) => {
    const cron = text(input.cron);
    if (input.op === 'validate' || input.op === 'parse') {
      expect([{ valid: false }, { error: true }]).toContainEqual(expected);
      expect(() => parseCron(cron)).toThrow(InvalidInput);
    } else if (input.op === 'fields') {
      expect(parseCron(cron).fields).toMatchObject(expected as object);
    } else {
      const [from, to] = [parseTime(text(input.from), utc), parseTime(text(input.to), utc)];
      const ticks = ticksBetween(
        { cron: parseCron(cron), zone: utc },
        from,
        to,
        Number(input.limit ?? 1_000),
      );
      expect({ fireCount: ticks.length }).toEqual(expected);
    }
  });

  it.each(kept('cron-cycle'))('%s', (_, { input, expect: expected }) => {
    const level = cronLevel(parseCron(text(input.cron)));
    expect((input.which === 'max' ? level.biggest : level.smallest).toUpperCase()).toBe(expected);
  });

  it.each(kept('duration'))('%s', (_, { input, expect: expected }) => {
    const length = parseTime(text(input.end), utc) - parseTime(text(input.start), utc);
    expect(formatDuration(length) ?? null).toBe(expected);
  });

  it.each(kept('calendar'))('%s', (_, { input, expect: expected }) => {
    const n = Number(input.n);
    if (input.fn === 'epochMillis') {
      expect(parseTime(text(input.text), zone(text(input.timezone)))).toBe(expected);
      return;
    }
    const { year, month, day, hour, minute, second } = wall(parseTime(text(input.at), utc), utc);
    const moved =
      input.fn === 'addDays'
        ? { year, month, day: day + n, hour, minute, second }
        : { year, month, day, hour: hour + n };
    expect(shown(instant(moved, utc))).toBe(expected);
  });

  it.each(kept('sdk-dates'))('%s', (_, { input, expect: expected }) => {
    if (typeof expected === 'string') expect(shown(parseTime(text(input.parse), utc))).toBe(expected);
    else expect(() => parseTime(text(input.parse), utc)).toThrow(InvalidInput);
  });

  it('fires an hourly schedule once for the hour that clocks show twice, where theirs fires in both', () => {
    const timing = { cron: parseCron('0 0 * * * ?'), zone: zone('America/New_York') };
    const from = Date.parse('2026-11-01T04:30:00Z');
    const ticks = ticksBetween(timing, from, Date.parse('2026-11-01T08:00:00Z'), 10);
    expect(ticks.map((tick) => new Date(tick).toISOString().slice(11, 16))).toEqual([
      '06:00',
      '07:00',
      '08:00',
    ]);
  });

  it('takes a date without separators, but no time, where their SDK takes both', () => {
    expect(shown(parseTime('20210101', utc))).toBe('2021-01-01 00:00:00');
    expect(() => parseTime('20210101 010101', utc)).toThrow('accepted are');
  });

  it('lists only differences that exist', () => {
    const ids = ['cron', 'cron-cycle', 'cron-expire', 'duration', 'calendar', 'sdk-dates'].flatMap((id) =>
      suite(id).map((one) => one.id),
    );
    for (const id of Object.keys(DIFFERENT)) expect(ids).toContain(id);
    expect(kept('cron-expire')).toEqual([]);
  });

  it('refuses its five-field expression as Unix cron too, where day 0 is the fault', () => {
    expect(() => parseCron('0 0 0 * *', { dialect: 'quartz' })).toThrow('5 fields');
    expect(() => parseCron('0 0 0 * *')).toThrow('dayOfMonth "0": 0 is out of range');
  });
});
