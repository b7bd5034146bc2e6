/**
 * The contents of `$[…]`: a date format with an offset (`yyyyMMdd-7*2`, `HH:mm+1/24`), a calendar function
 * (`month_first_day(yyyy-MM-dd,-1)`) or a named day (`yyyyMMdd,lastFriday`), printed for the business time.
 * An offset starts at the first sign after the format's last letter or quote that precedes a bracket or a
 * number without leading zero: `yyyy-MM-dd HH:mm:ss-1` is yesterday, `yyyy-MM-01` the first of the month.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import {
  DAY,
  epochDay,
  fields,
  instant,
  localMillis,
  SECOND,
  weekdayOf,
  type Zone,
  zone as zoneNamed,
} from '../time/zone.ts';
import { timeOffset, wholeNumber } from './arithmetic.ts';
import { dayOf, mondayOf, monthStart, onDay, plusMonths, withinCalendar } from './calendar-day.ts';
import { formatDate } from './date-pattern.ts';
import { isNamedDay, namedDay } from './named-day.ts';

/** Functions of only a format. */
const PLAIN: ReadonlyMap<string, (today: number) => number> = new Map([
  ['this_day', (today) => today],
  ['last_day', (today) => today - 1],
]);

/** Functions of a format and a number, counted in months, weeks or days as noted. */
const SHIFTED: ReadonlyMap<string, (today: number, count: number) => number> = new Map([
  // months
  ['add_months', plusMonths],
  ['month_first_day', monthStart],
  ['month_last_day', (today, count) => monthStart(today, count + 1) - 1],
  // weeks
  ['week_first_day', (today, count) => mondayOf(today) + 7 * count],
  ['week_last_day', (today, count) => mondayOf(today) + 7 * count + 6],
  // days
  ['month_begin', (today, count) => monthStart(today) + count],
  ['month_end', (today, count) => monthStart(today, 1) - 1 + count],
  ['week_begin', (today, count) => mondayOf(today) + count],
  ['week_end', (today, count) => mondayOf(today) + 6 + count],
]);

const ACCEPTED = [
  'a date format with ±N days, ±N/24 hours, ±N/24/60 minutes or ±N/24/60/60 seconds',
  `${[...PLAIN.keys()].join('|')}(format)`,
  `${[...SHIFTED.keys()].join('|')}(format,n)`,
  'year_week(format[,firstDay])',
  'timestamp(expression)',
  '[format,]Monday|lastFriday|monthFirstDay…[,±Nu]',
].join('; ');

/** Length limit of a time placeholder. */
export const LONGEST_PLACEHOLDER = 256;

/** The text of an expression, given without its `$[` and `]`, at a business time. */
export function timePlaceholder(expression: string, businessTime: number, zone: Zone): string {
  const text = expression.trim();
  try {
    if (text.length > LONGEST_PLACEHOLDER)
      throw new InvalidInput(said('param.placeholderTooLong', { most: LONGEST_PLACEHOLDER }));
    return print(text, businessTime, zone);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const shown = text.length > LONGEST_PLACEHOLDER ? `${text.slice(0, LONGEST_PLACEHOLDER)}…` : text;
    throw new InvalidInput(
      said('param.placeholder', { text: shown, why: error.said ?? error.message, accepted: ACCEPTED }),
    );
  }
}

function print(text: string, at: number, zone: Zone): string {
  const [, name = '', inside = ''] = /^([a-z_]+)\((.*)\)$/s.exec(text) ?? [];
  if (name === 'timestamp') return timestamp(inside, at, zone);
  if (name === 'year_week') return yearWeek(inside, dayOf(at, zone));
  const plain = PLAIN.get(name);
  if (plain) return formatDate(inside, onDay(at, plain(dayOf(at, zone)), zone), zone);
  const shifted = SHIFTED.get(name);
  if (shifted) {
    const [format, count] = lastArgument(inside);
    if (count === undefined) throw new InvalidInput(said('param.formatAndNumber', { name }));
    return formatDate(format, onDay(at, shifted(dayOf(at, zone), wholeNumber(count)), zone), zone);
  }
  if (isNamedDay(text)) return namedDay(text, at, zone);
  return withOffset(text, at, zone);
}

/** Splits at the last comma: a format may contain commas. */
function lastArgument(inside: string): [format: string, last?: string] {
  const comma = inside.lastIndexOf(',');
  return comma < 0 ? [inside] : [inside.slice(0, comma), inside.slice(comma + 1)];
}

function withOffset(text: string, at: number, zone: Zone): string {
  const formatEnd = text.search(/[^A-Za-z']*$/);
  const sign = text.slice(formatEnd).search(/[+-][\s+-]*(?:\(|0(?!\d)|[1-9])/);
  if (sign < 0) return formatDate(text, at, zone);
  const { days, seconds } = timeOffset(text.slice(formatEnd + sign));
  const shifted = onDay(at, dayOf(at, zone) + days, zone) + seconds * SECOND;
  return formatDate(text.slice(0, formatEnd + sign).trimEnd(), withinCalendar(shifted), zone);
}

/** Seconds since 1970 of an inner expression, whose text must be a wall-clock time `yyyyMMddHHmmss`. */
function timestamp(inside: string, at: number, zone: Zone): string {
  const text = print(inside.trim(), at, zone);
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  const [year, month, day, hour, minute, second] = (found ?? []).slice(1).map(Number);
  const local = found ? localMillis({ year, month, day, hour, minute, second }) : Number.NaN;
  // Rolling over would turn a wrong text into another time.
  if (!found || formatDate('yyyyMMddHHmmss', local, zoneNamed('UTC')) !== text) {
    throw new InvalidInput(said('param.timestamp', { text }));
  }
  // The business time itself keeps its side of a repeated hour.
  const unchanged = Math.floor((at + zone.offsetAt(at)) / SECOND) * SECOND === local;
  return String(Math.floor((unchanged ? at : instant(fields(local), zone)) / SECOND));
}

/** Year and number of the week; the first week is the first with at least four days in the new year. */
function yearWeek(inside: string, today: number): string {
  const [format, last] = lastArgument(inside);
  const firstDay = last === undefined ? 1 : wholeNumber(last);
  if (firstDay < 1 || firstDay > 7) {
    throw new InvalidInput(said('param.firstDay'));
  }
  const separator = /^yyyy([^A-Za-z']*)/.exec(format)?.[1];
  if (separator === undefined) throw new InvalidInput(said('param.yearWeek'));
  const weekday = ((weekdayOf(today) + 6) % 7) + 1;
  const fourth = today - ((weekday - firstDay + 7) % 7) + 3;
  const { year } = fields(fourth * DAY);
  const week = Math.floor((fourth - epochDay(year, 1, 1)) / 7) + 1;
  return `${String(year).padStart(4, '0')}${separator}${String(week).padStart(2, '0')}`;
}
