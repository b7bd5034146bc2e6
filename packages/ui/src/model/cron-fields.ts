/** The values in a cron's fields as lists, from which words are built. */
import { type Cron, parseCron } from '@orrery/sdk/client';

/** The values of a cron's fields; weekdays count from Sunday = 0. Null means all. */
export interface CronFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[] | null;
  readonly monthDays: readonly number[] | null;
  readonly weekdays: readonly number[] | null;
  /** The last day of the month, in place of days. */
  readonly lastDay: boolean;
  /** One weekday of the month, such as the second Monday, instead of weekdays; 0 is the last one. */
  readonly nth: { readonly weekday: number; readonly nth: number } | null;
}

/** Reads a cron; null for one that cannot be read, names years, or has days of more than one kind. */
export function readCron(text: string): CronFields | null {
  const cron = parsed(text);
  if (cron?.fields.year !== '*') return null;
  const days = daysOf(cron.days);
  if (!days) return null;
  return {
    seconds: membersOf(cron.seconds),
    minutes: membersOf(cron.minutes),
    hours: membersOf(cron.hours),
    months: allOr(membersOf(cron.months), 12),
    ...every,
    ...days,
  };
}

function parsed(text: string): Cron | null {
  try {
    return parseCron(text);
  } catch {
    return null;
  }
}

type Days = Pick<CronFields, 'monthDays' | 'weekdays' | 'lastDay' | 'nth'>;

const every: Days = { monthDays: null, weekdays: null, lastDay: false, nth: null };

function daysOf(rule: Cron['days']): Partial<Days> | null {
  const { beforeLast, nearest, nearestBeforeLast, lastWeekdays, nthWeekdays, either } = rule;
  if (nearest !== 0 || nearestBeforeLast !== 0) return null;
  // The last day is the one that is 0 days before it.
  if (beforeLast !== 0) return beforeLast === 1 && rule.days === 0 ? { lastDay: true } : null;
  const named = [lastWeekdays, ...nthWeekdays].flatMap((mask, nth) =>
    membersOf([mask]).map((weekday) => ({ weekday, nth })),
  );
  if (named.length > 0) return named.length === 1 && rule.weekdays === 0 ? { nth: named[0] } : null;
  const monthDays = allOr(membersOf([rule.days & ~1]), 31);
  const weekdays = allOr(membersOf([rule.weekdays & 127]), 7);
  // Where both fields say something, a day of either counts; that is more than words say well.
  if (either) return monthDays && weekdays ? null : {};
  return { monthDays, weekdays };
}

/** The members of a set of small numbers, given as words of 32 bits. */
function membersOf(words: readonly number[]): number[] {
  return words.flatMap((word, at) =>
    Array.from({ length: 32 }, (_, bit) => at * 32 + bit).filter((value) => (word >>> (value & 31)) & 1),
  );
}

const allOr = (values: readonly number[], all: number) => (values.length === all ? null : values);
