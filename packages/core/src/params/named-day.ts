/**
 * Time parameters of the form `[format,]NamedDay[,span]`, such as `Monday`, `yyyyMMdd,lastFriday` or
 * `yyyyMMdd HH:mm:ss,Monday,-1h`. A named day is its midnight; without one the span counts from the reference
 * time. All values derive from the reference time, so a backfill repeats history.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { DAY, type Zone } from '../time/zone.ts';
import { dayOf, firstAt, mondayOf, monthStart } from './calendar-day.ts';
import { formatDate } from './date-pattern.ts';
import { addSpan, isSpan } from './time-span.ts';

type Day = (today: number) => number;

/** Relative weeks and months in names, with their distance from the current one. */
const RELATIVE = [
  ['', 0],
  ['last', -1],
  ['next', 1],
] as const;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const NAMED: ReadonlyMap<string, Day> = new Map(
  RELATIVE.flatMap(([word, shift]): [string, Day][] => {
    const name = (text: string) => (word === '' ? text[0].toLowerCase() + text.slice(1) : word + text);
    return [
      ...WEEKDAYS.map((weekday, i): [string, Day] => [
        word + weekday,
        (today) => mondayOf(today) + 7 * shift + i,
      ]),
      [name('WeekFirstDay'), (today) => mondayOf(today) + 7 * shift],
      [name('WeekLastDay'), (today) => mondayOf(today) + 7 * shift + 6],
      [name('MonthFirstDay'), (today) => monthStart(today, shift)],
      [name('MonthLastDay'), (today) => monthStart(today, shift + 1) - 1],
    ];
  }),
);

/** Whether a text names a day or ends in a span; otherwise it is a plain date format or an error. */
export function isNamedDay(text: string): boolean {
  const last = text.slice(text.lastIndexOf(',') + 1).trim();
  return NAMED.has(last) || isSpan(last);
}

/**
 * The value of a time parameter. The default format is `yyyy-MM-dd`; weeks are ISO weeks and start on Monday.
 */
export function namedDay(text: string, reference: number, zone: Zone): string {
  if (!isNamedDay(text)) {
    throw new InvalidInput(said('param.namedDay', { text, days: [...NAMED.keys()].join(' ') }));
  }
  const parts = text.split(',');
  const last = () => parts.at(-1)?.trim() ?? '';
  const span = isSpan(last()) ? parts.pop()?.trim() : undefined;
  const day = NAMED.get(last());
  if (day) parts.pop();
  const start = day ? firstAt(day(dayOf(reference, zone)) * DAY, zone) : reference;
  const at = span === undefined ? start : addSpan(start, span, zone);
  // The rest is the format, which may contain commas.
  return formatDate(parts.length === 0 ? 'yyyy-MM-dd' : parts.join(','), at, zone);
}
