/** The values that the fields of a cron name, read as the server reads them: five fields of Unix, six or seven of Quartz. */

/** What the fields of a cron name; weekdays are counted from Sunday = 0. Null stands for all. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[] | null;
  readonly monthDays: readonly number[] | null;
  readonly weekdays: readonly number[] | null;
  /** The last day of the month, in place of days. */
  readonly lastDay: boolean;
  /** One weekday of the month, such as the second Monday, in place of weekdays; 0 is the last one. */
  readonly nth: { readonly weekday: number; readonly nth: number } | null;
}

const named: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Reads a cron; null for one that names years, days of both kinds, or what is not known here. */
export function readCron(cron: string): CronFields | null {
  const text = cron.trim().toUpperCase();
  const given = (named[text.toLowerCase()] ?? text).split(/\s+/);
  const unix = given.length === 5;
  if (!unix && given.length !== 6 && !(given.length === 7 && given[6] === '*')) return null;
  const [second, minute, hour, day, month, week] = unix ? ['0', ...given] : given;
  const seconds = valuesOf(second, 0, 60);
  const minutes = valuesOf(minute, 0, 60);
  const hours = valuesOf(hour, 0, 24);
  const months = valuesOf(month, 1, 12, monthNames);
  const days = unix ? unixDays(day, week) : quartzDays(day, week);
  if (!seconds || !minutes || !hours || !months || !days) return null;
  return { seconds, minutes, hours, months: allOr(months, 12), ...every, ...days };
}

type Days = Pick<CronFields, 'monthDays' | 'weekdays' | 'lastDay' | 'nth'>;

const every: Days = { monthDays: null, weekdays: null, lastDay: false, nth: null };

/** Where both fields say something, a day of either counts; that is more than words say well. */
function unixDays(day: string, week: string): Partial<Days> | null {
  const monthDays = valuesOf(day, 1, 31);
  const weekdays = valuesOf(week, 0, 7, weekdayNames);
  if (!monthDays || !weekdays) return null;
  if (day === '*') return { weekdays: allOr(weekdays, 7) };
  if (week === '*') return { monthDays: allOr(monthDays, 31) };
  return monthDays.length === 31 || weekdays.length === 7 ? {} : null;
}

/** One of the two is `?`. Weekdays are counted from Sunday = 1. */
function quartzDays(day: string, week: string): Partial<Days> | null {
  if ((day === '?') === (week === '?')) return null;
  if (week === '?') {
    if (day === 'L') return { lastDay: true };
    const monthDays = valuesOf(day, 1, 31);
    return monthDays && { monthDays: allOr(monthDays, 31) };
  }
  const [, name, nth] = /^(\w+?)(?:L|#([1-5]))$/.exec(week) ?? [];
  const one = name === undefined ? null : oneValue(name, 1, 7, weekdayNames);
  if (one !== null) return { nth: { weekday: one - 1, nth: Number(nth ?? 0) } };
  const weekdays = valuesOf(week, 1, 7, weekdayNames);
  return weekdays && { weekdays: allOr(weekdays.map((value) => value - 1).sort(byValue), 7) };
}

/** The values of a list of `*`, values and ranges, each with a step or without; null for what is none. */
function valuesOf(
  text: string,
  least: number,
  count: number,
  names: readonly string[] = [],
): number[] | null {
  const values = new Set<number>();
  // Sunday is 7 as well as 0 in Unix.
  const most = least + count - (least === 0 && names.length > 0 ? 0 : 1);
  for (const item of text.split(',')) {
    const parts = item === '' ? null : /^(?:\*|(\w+)(?:-(\w+))?)?(?:\/(\d+))?$/.exec(item);
    if (!parts) return null;
    const [, first, last, step] = parts;
    const by = step === undefined ? 1 : Number(step);
    let from: number | null = least;
    let to: number | null = least + count - 1;
    if (first !== undefined) {
      from = oneValue(first, least, most, names);
      to = last !== undefined ? oneValue(last, least, most, names) : step === undefined ? from : most;
    }
    if (from === null || to === null || by < 1) return null;
    if (to < from) to += count;
    for (let value = from; value <= to; value += by) values.add(least + ((value - least) % count));
  }
  return [...values].sort(byValue);
}

function oneValue(text: string, least: number, most: number, names: readonly string[]): number | null {
  const at = names.indexOf(text);
  if (at >= 0) return least + at;
  const value = /^\d+$/.test(text) ? Number(text) : -1;
  return value >= least && value <= most ? value : null;
}

const byValue = (one: number, other: number) => one - other;

const allOr = (values: readonly number[], all: number) => (values.length === all ? null : values);
