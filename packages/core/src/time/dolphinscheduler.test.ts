/**
 * The suites of the recorded cases about time. Where Orrery deliberately differs, the rule of the difference is
 * written here in the words of the cases and checked.
 */
import { casesOf, notUnderstood, type RecordedCase, wordsOf } from '@orrery/testkit/cases/recorded';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { parseCron } from './cron-parse.ts';
import { formatDuration, formatIso } from './format-time.ts';
import { cronLevel } from './level.ts';
import { parseTime } from './parse-time.ts';
import { ticksBetween } from './schedule.ts';
import { instant, wall, zone } from './zone.ts';

interface CronInput {
  readonly cron: string;
  readonly op?: string;
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
  readonly fromExclusive?: boolean;
  readonly toInclusive?: boolean;
}

function accepts(cron: string): boolean {
  try {
    parseCron(cron);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return false;
  }
}

const utc = zone('UTC');
const suite = (id: string): [string, RecordedCase][] => casesOf(id).map((one) => [one.id, one]);
const text = (value: unknown) => String(value);
const shown = (at: number) => formatIso(at, utc).replace('T', ' ').replace('Z', '');

describe('DolphinScheduler cases', () => {
  it.each(suite('cron'))('%s', (_, { input, expect: expected }) => {
    const words = wordsOf<CronInput>(input, [
      'cron',
      'op',
      'from',
      'to',
      'limit',
      'fromExclusive',
      'toInclusive',
    ]);
    const { cron, op = 'fireCount', limit = 1_000 } = words;
    switch (op) {
      case 'validate':
        expect({ valid: accepts(cron) }).toEqual(wordsOf(expected, ['valid']));
        break;
      case 'parse':
        expect({ error: !accepts(cron) }).toEqual(wordsOf(expected, ['error']));
        break;
      case 'fields':
        expect(parseCron(cron).fields).toMatchObject(expected as object);
        break;
      case 'fireCount': {
        // Between two times there means after the first and up to the second, unless the case says otherwise.
        const from = parseTime(words.from, utc) - (words.fromExclusive === false ? 1 : 0);
        const to = parseTime(words.to, utc) - (words.toInclusive === false ? 1 : 0);
        const ticks = ticksBetween({ cron: parseCron(cron), zone: utc }, from, to, limit);
        expect({ fireCount: ticks.length }).toEqual(wordsOf(expected, ['fireCount']));
        break;
      }
      default:
        throw notUnderstood(op);
    }
  });

  it.each(suite('cron-cycle'))('%s', (_, { input, expect: expected }) => {
    const level = cronLevel(parseCron(text(input.cron)));
    expect((input.which === 'max' ? level.biggest : level.smallest).toUpperCase()).toBe(expected);
  });

  it.each(suite('duration'))('%s', (_, { input, expect: expected }) => {
    const length = parseTime(text(input.end), utc) - parseTime(text(input.start), utc);
    expect(formatDuration(length) ?? null).toBe(expected);
  });

  it.each(suite('calendar'))('%s', (_, { input, expect: expected }) => {
    const n = Number(input.n);
    if (input.fn === 'epochMillis') {
      expect(parseTime(text(input.text), zone(text(input.timezone)))).toBe(expected);
      return;
    }
    if (input.fn === 'parse') {
      // A date without a time means midnight here, as in their Python SDK; their server refuses it.
      const said = text(input.text);
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(said);
      expect(shown(parseTime(said, utc))).toBe(isDate ? `${said} 00:00:00` : expected);
      return;
    }
    const { year, month, day, hour, minute, second } = wall(parseTime(text(input.at), utc), utc);
    const moved =
      input.fn === 'addDays'
        ? { year, month, day: day + n, hour, minute, second }
        : { year, month, day, hour: hour + n };
    expect(shown(instant(moved, utc))).toBe(expected);
  });

  it.each(suite('sdk-dates'))('%s', (_, { input, expect: expected }) => {
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

  it('refuses its five-field expression as Unix cron too, where day 0 is the fault', () => {
    expect(() => parseCron('0 0 0 * *', { dialect: 'quartz' })).toThrow('5 fields');
    expect(() => parseCron('0 0 0 * *')).toThrow('dayOfMonth "0": 0 is out of range');
  });
});
