/**
 * Describes when a cron fires: at times of day, or at an interval, on some days. Only crons with a complete
 * and short description get one; the caller shows any other cron as written. Pure: the words of a language
 * are added later.
 */
import { type CronFields, readCron } from './cron-fields.ts';

/** When on a day. Times are `06:00`, or `06:00:30` where the seconds are not 0. */
export type TimeSaid =
  | { readonly kind: 'times'; readonly times: readonly string[] }
  | Every
  /** At these minutes of each hour. */
  | { readonly kind: 'hourly'; readonly minutes: readonly number[] };

interface Every {
  readonly kind: 'every';
  readonly count: number;
  readonly unit: 's' | 'm' | 'h';
  /** The first time of the day and the last; null: all day, from midnight on. */
  readonly between: readonly [first: string, last: string] | null;
}

/** On which days. Months are 1 to 12, or null for each; weekdays count from Sunday = 0. */
export type DaysSaid =
  | { readonly kind: 'all' }
  | { readonly kind: 'week'; readonly weekdays: readonly number[] }
  | { readonly kind: 'month'; readonly days: readonly number[]; readonly months: Months }
  | { readonly kind: 'last'; readonly months: Months }
  /** The n-th weekday of the month; 0 is the last one. */
  | { readonly kind: 'nth'; readonly weekday: number; readonly nth: number; readonly months: Months };

type Months = readonly number[] | null;

export interface CronSaid {
  readonly time: TimeSaid;
  readonly days: DaysSaid;
}

/** Longer lists are read faster as a cron. */
const mostListed = 6;

/** The description of a cron; null if words cannot describe it well. */
export function cronSaid(cron: string): CronSaid | null {
  const fields = readCron(cron);
  if (!fields) return null;
  const days = daysSaid(fields);
  const time = days && timeSaid(fields, days.kind === 'all');
  return time && { time, days };
}

function daysSaid({ months, monthDays, weekdays, lastDay, nth }: CronFields): DaysSaid | null {
  if (months && months.length > mostListed) return null;
  if (lastDay) return { kind: 'last', months };
  if (nth) return { kind: 'nth', ...nth, months };
  if (monthDays)
    return runsOf(monthDays).length > mostListed ? null : { kind: 'month', days: monthDays, months };
  if (months) return null;
  return weekdays ? { kind: 'week', weekdays } : { kind: 'all' };
}

function timeSaid(fields: CronFields, everyDay: boolean): TimeSaid | null {
  const { seconds, minutes, hours } = fields;
  const allHours = hours.length === 24;
  const [second] = seconds;
  if (seconds.length > 1) {
    const count = allHours && minutes.length === 60 ? wholeStep(seconds) : null;
    return count === null ? null : every(count, 's');
  }
  const [minute] = minutes;
  if (allHours && minutes.length === 1 && minute !== 0 && second === 0) return { kind: 'hourly', minutes };
  const span = spanOf(hours, everyDay);
  if (minutes.length === 1 && hours.length > 3 && second === 0) {
    const by = span ? 1 : stepOf(hours);
    const [first, last] = span ?? [hours[0], hours[hours.length - 1]];
    const whole = minute === 0 && first === 0 && by !== null && by * hours.length === 24;
    if (by !== null) return every(by, 'h', whole ? null : [clock(first, minute), clock(last, minute)]);
  }
  if (minutes.length * hours.length <= mostListed)
    return { kind: 'times', times: hours.flatMap((h) => minutes.map((m) => clock(h, m, second))) };
  if (second !== 0) return null;
  const count = wholeStep(minutes);
  if (allHours && count === null) return minutes.length > mostListed ? null : { kind: 'hourly', minutes };
  if (count === null || !span) return null;
  return every(count, 'm', allHours ? null : [clock(span[0], 0), clock(span[1], 60 - count)]);
}

function every(count: number, unit: 's' | 'm' | 'h', between: Every['between'] = null): TimeSaid {
  return { kind: 'every', count, unit, between };
}

/** The step of values from 0 on that goes on beyond their end: 15 for the minutes 0, 15, 30 and 45. */
function wholeStep(values: readonly number[]): number | null {
  const by = stepOf(values);
  return by !== null && values[0] === 0 && by * values.length === 60 ? by : null;
}

function stepOf(values: readonly number[]): number | null {
  const by = values[1] - values[0];
  return values.every((value, at) => at === 0 || value - values[at - 1] === by) ? by : null;
}

/** The first and last hour of hours without a gap. Over midnight only where each day is like the other. */
function spanOf(hours: readonly number[], everyDay: boolean): readonly [number, number] | null {
  const runs = runsOf(hours);
  if (runs.length === 1) return runs[0];
  const overMidnight = runs.length === 2 && everyDay && runs[0][0] === 0 && runs[1][1] === 23;
  return overMidnight ? [runs[1][0], runs[0][1]] : null;
}

/** Runs of values that follow each other, by their ends: `[1, 5]` for Monday to Friday. */
export function runsOf(values: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run?.[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}

function clock(hour: number, minute: number, second = 0): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((value) => String(value).padStart(2, '0')).join(':');
}
