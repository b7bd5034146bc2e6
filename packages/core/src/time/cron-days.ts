/**
 * The days of a month that a cron accepts, as one mask per month: bit d stands for day d. Weekdays are 0-6
 * with Sunday = 0 here in both dialects.
 */
import { lowestBit } from './bits.ts';
import { daysInMonth, epochDay, weekdayOf } from './civil.ts';

/** The day-of-month and day-of-week fields of a cron, taken together. */
export interface CronDays {
  /** Days of the month: bit d for day d. */
  readonly days: number;
  /** `L-n`: bit n for the day n days before the last one. */
  readonly beforeLast: number;
  /** `nW`: bit d for the weekday nearest to day d within the month. */
  readonly nearest: number;
  /** `L-nW`: bit n for the weekday nearest to the day n days before the last one. */
  readonly nearestBeforeLast: number;
  /** Weekdays: bit w for weekday w. */
  readonly weekdays: number;
  /** `nL`: bit w for the last weekday w of the month. */
  readonly lastWeekdays: number;
  /** `n#k`: at index k-1, bit w for the k-th weekday w of the month. */
  readonly nthWeekdays: readonly number[];
  /** Unix: a day counts if either field accepts it. Otherwise both must. */
  readonly either: boolean;
}

/** All days of a month, and all weekdays. */
export const EVERY_DAY = -1 << 1;
export const EVERY_WEEKDAY = 127;

const SATURDAY = 6;

/** Whether the rule accepts every day of every month, so that no calendar is needed. */
export function acceptsEveryDay(rule: CronDays): boolean {
  const anyDay = rule.days === EVERY_DAY;
  const anyWeekday = rule.weekdays === EVERY_WEEKDAY;
  return rule.either ? anyDay || anyWeekday : anyDay && anyWeekday;
}

/** The days of a month that the rule accepts. */
export function acceptedDays(rule: CronDays, year: number, month: number): number {
  const length = daysInMonth(year, month);
  const firstWeekday = weekdayOf(epochDay(year, month, 1));
  const byDay = daysByDate(rule, length, firstWeekday);
  const byWeekday = daysByWeekday(rule, length, firstWeekday);
  return (rule.either ? byDay | byWeekday : byDay & byWeekday) & daysUpTo(length);
}

function daysByDate(rule: CronDays, length: number, firstWeekday: number): number {
  let found = rule.days;
  for (let rest = rule.beforeLast; rest !== 0; rest &= rest - 1) {
    const day = length - lowestBit(rest);
    if (day >= 1) found |= 1 << day;
  }
  for (let rest = rule.nearest; rest !== 0; rest &= rest - 1) {
    found |= nearestWeekday(lowestBit(rest), length, firstWeekday);
  }
  for (let rest = rule.nearestBeforeLast; rest !== 0; rest &= rest - 1) {
    found |= nearestWeekday(length - lowestBit(rest), length, firstWeekday);
  }
  return found;
}

/** The Monday-to-Friday day nearest to `day` in the same month; none if the month lacks that day. */
function nearestWeekday(day: number, length: number, firstWeekday: number): number {
  if (day < 1 || day > length) return 0;
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === SATURDAY) return 1 << (day === 1 ? 3 : day - 1);
  if (weekday === 0) return 1 << (day === length ? day - 2 : day + 1);
  return 1 << day;
}

function daysByWeekday(rule: CronDays, length: number, firstWeekday: number): number {
  if (rule.weekdays === EVERY_WEEKDAY) return EVERY_DAY;
  let found = everyWeek(rule.weekdays, firstWeekday);
  if (rule.lastWeekdays !== 0) {
    found |= everyWeek(rule.lastWeekdays, firstWeekday) & ~daysUpTo(length - 7);
  }
  for (let k = 0; k < rule.nthWeekdays.length; k++) {
    found |= everyWeek(rule.nthWeekdays[k], firstWeekday) & (EVERY_WEEKDAY << (7 * k + 1));
  }
  return found;
}

/** The days that fall on the given weekdays, in a month that starts on `firstWeekday`. */
function everyWeek(weekdays: number, firstWeekday: number): number {
  const week = ((weekdays >>> firstWeekday) | (weekdays << (7 - firstWeekday))) & EVERY_WEEKDAY;
  return (week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) << 1;
}

/** Days 1 to `day`. */
function daysUpTo(day: number): number {
  return (-1 >>> (31 - day)) & EVERY_DAY;
}
