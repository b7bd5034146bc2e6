/**
 * Parses the two day fields of a cron together. In Quartz exactly one of them is `?` and the other decides;
 * it may contain `L` (last day), `L-n`, `nW` (weekday nearest to day n), `LW`, `L-nW`, or for weekdays `L`
 * (Saturday), `nL` (last such weekday), `n#k` (k-th one), also in lists. Unix cron has none of these.
 */
import { said } from '../texts/index.ts';
import { type CronDays, EVERY_DAY, EVERY_WEEKDAY } from './cron-days.ts';
import { addItem, readValue, refuse, valuesOf, type WrittenField } from './cron-field.ts';

const EVERY: CronDays = {
  days: EVERY_DAY,
  beforeLast: 0,
  nearest: 0,
  nearestBeforeLast: 0,
  weekdays: EVERY_WEEKDAY,
  lastWeekdays: 0,
  nthWeekdays: [],
  either: false,
};

/** `L-n` reaches back at most to the first day of the longest month. */
const MOST_BEFORE_LAST = 30;

/** The days of a Unix cron. If neither field is `*`, a day counts if either field accepts it. */
export function unixDays(dayOfMonth: WrittenField, dayOfWeek: WrittenField): CronDays {
  return {
    ...EVERY,
    days: maskOf(valuesOf(dayOfMonth)),
    weekdays: maskOf(valuesOf(dayOfWeek)),
    either: dayOfMonth.text !== '*' && dayOfWeek.text !== '*',
  };
}

/** The days of a Quartz cron. */
export function quartzDays(dayOfMonth: WrittenField, dayOfWeek: WrittenField): CronDays {
  if ((dayOfMonth.text === '?') === (dayOfWeek.text === '?')) {
    refuse(dayOfWeek, said('cron.oneQuestionMark', { text: dayOfMonth.text }));
  }
  return dayOfWeek.text === '?' ? quartzMonthDays(dayOfMonth) : quartzWeekdays(dayOfWeek);
}

function quartzMonthDays(written: WrittenField): CronDays {
  const days = new Set<number>();
  const beforeLast = new Set<number>();
  const nearest = new Set<number>();
  const nearestBeforeLast = new Set<number>();
  for (const item of written.text.split(',')) {
    const last = /^L(?:-(\d+))?(W)?$/i.exec(item);
    const near = /^(\d+)W$/i.exec(item);
    if (last) {
      const before = Number(last[1] ?? 0);
      if (before > MOST_BEFORE_LAST)
        refuse(written, said('cron.beyondFirst', { item, most: MOST_BEFORE_LAST }));
      (last[2] ? nearestBeforeLast : beforeLast).add(before);
    } else if (near) nearest.add(readValue(near[1], written));
    else addItem(days, item, written);
  }
  return {
    ...EVERY,
    days: maskOf(days),
    beforeLast: maskOf(beforeLast),
    nearest: maskOf(nearest),
    nearestBeforeLast: maskOf(nearestBeforeLast),
  };
}

/** Quartz counts weekdays from Sunday = 1, the masks from Sunday = 0. */
function quartzWeekdays(written: WrittenField): CronDays {
  const weekdays = new Set<number>();
  let lastWeekdays = 0;
  const nthWeekdays = [0, 0, 0, 0, 0];
  for (const item of written.text.split(',')) {
    const last = /^(\w+)L$/i.exec(item);
    const nth = /^(\w+)#(\w+)$/.exec(item);
    if (/^L$/i.test(item)) weekdays.add(written.field.max);
    else if (last) lastWeekdays |= 1 << (readValue(last[1], written) - 1);
    else if (nth) {
      if (!/^[1-5]$/.test(nth[2])) refuse(written, said('cron.nth', { text: nth[2] }));
      nthWeekdays[Number(nth[2]) - 1] |= 1 << (readValue(nth[1], written) - 1);
    } else addItem(weekdays, item, written);
  }
  return {
    ...EVERY,
    weekdays: maskOf(weekdays) >>> 1,
    lastWeekdays,
    nthWeekdays: nthWeekdays.some((mask) => mask !== 0) ? nthWeekdays : EVERY.nthWeekdays,
  };
}

function maskOf(values: Iterable<number>): number {
  let mask = 0;
  for (const value of values) mask |= 1 << value;
  return mask;
}
