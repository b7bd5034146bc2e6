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
    const { cron, which } = wordsOf<{ cron: string; which: string }>(input, ['cron', 'which']);
    const { biggest, smallest } = cronLevel(parseCron(cron));
    if (which !== 'max' && which !== 'mini') throw notUnderstood(which);
    expect((which === 'max' ? biggest : smallest).toUpperCase()).toBe(expected);
  });

  it.each(suite('duration'))('%s', (_, { input, expect: expected }) => {
    const { start, end } = wordsOf<{ start: string | null; end: string | null }>(input, ['start', 'end']);
    // What has no start or no end has no length.
    const length = start === null || end === null ? Number.NaN : parseTime(end, utc) - parseTime(start, utc);
    expect(formatDuration(length) ?? null).toBe(expected);
  });

  interface CalendarInput {
    readonly fn: string;
    readonly at?: string;
    readonly text?: string;
    readonly from?: string;
    readonly to?: string;
    readonly n?: number;
    readonly format?: string;
    readonly timezone?: string;
  }

  it.each(suite('calendar'))('%s', (_, { input, expect: expected }) => {
    const words = ['fn', 'at', 'text', 'from', 'to', 'n', 'format', 'timezone'];
    const { fn, at, text: said, from, to, n = 0, timezone } = wordsOf<CalendarInput>(input, words);
    const inZone = zone(timezone ?? 'UTC');
    const time = (written = said ?? at) => parseTime(text(written), inZone);
    const move = moves[fn.replace(/^get(?=[A-Z])/, '').toLowerCase()];
    if (move) expect(shown(instant(move(wall(time(at), utc), n), utc))).toBe(expected);
    else if (fn === 'epochMillis') expect(time()).toBe(expected);
    else if (fn === 'diffHours') expect((time(to) - time(from)) / 3_600_000).toBe(expected);
    else if (fn === 'diffDays') expect(Math.floor((time(to) - time(from)) / 86_400_000)).toBe(expected);
    else if (fn === 'format' || fn === 'dateToString') expect(shown(time())).toBe(expected);
    else if (fn === 'parse') {
      // A date without a time means midnight here, as in their Python SDK; their server refuses it.
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text(said));
      expect(shown(time())).toBe(isDate ? `${said} 00:00:00` : expected);
    } else throw notUnderstood(fn);
  });

  type Wall = ReturnType<typeof wall>;
  const hour = ({ year, month, day, hour: of }: Wall, n = 0) => ({ year, month, day, hour: of + n });
  const weekday = ({ year, month, day }: Wall) =>
    (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  /** Calendar functions of theirs, in fields of a clock that the product rolls over. */
  const moves: Readonly<Record<string, (at: Wall, n: number) => Parameters<typeof instant>[0]>> = {
    adddays: (at, n) => ({ ...at, day: at.day + n }),
    someday: (at, n) => ({ ...at, day: at.day + n }),
    addmonths: (at, n) => ({ ...at, month: at.month + n }),
    addhours: (at, n) => ({ ...at, hour: at.hour + n }),
    addminutes: (at, n) => ({ ...at, minute: at.minute + n }),
    houroffset: hour,
    somehourofday: hour,
    startofhour: (at) => hour(at),
    endofhour: (at) => ({ ...hour(at), minute: 59, second: 59 }),
    startofday: ({ year, month, day }) => ({ year, month, day }),
    endofday: ({ year, month, day }) => ({ year, month, day, hour: 23, minute: 59, second: 59 }),
    monday: (at) => ({ ...at, day: at.day - weekday(at) }),
    sunday: (at) => ({ ...at, day: at.day - weekday(at) + 6 }),
    firstdayofmonth: (at) => ({ ...at, day: 1 }),
    lastdayofmonth: (at) => ({ ...at, month: at.month + 1, day: 0 }),
  };

  it.each(suite('sdk-dates'))('%s', (_, { input, expect: expected }) => {
    if (typeof expected === 'string') expect(shown(parseTime(text(input.parse), utc))).toBe(expected);
    else if (!wordsOf<{ error: boolean }>(expected, ['error']).error) throw notUnderstood(expected);
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

  it('refuses its five-field expression as Unix cron too, where day 0 is the fault', () => {
    expect(() => parseCron('0 0 0 * *', { dialect: 'quartz' })).toThrow('5 fields');
    expect(() => parseCron('0 0 0 * *')).toThrow('dayOfMonth "0": 0 is out of range');
  });
});
