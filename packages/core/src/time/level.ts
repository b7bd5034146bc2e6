/**
 * The levels of a cron: between which units its ticks repeat, as its fields are written. It tells people
 * "fires every minute" or "every day, in a yearly pattern" without listing ticks.
 */
import type { Cron } from './cron.ts';

/** Units of repetition, smallest first. */
const LEVELS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

/** A unit of repetition. */
export type Level = (typeof LEVELS)[number];

/** `smallest`: the unit from one tick to the next. `biggest`: the unit after which the whole pattern repeats. */
export interface CronLevel {
  readonly smallest: Level;
  readonly biggest: Level;
}

/** How a field is written: every value, every so many (`0/15`), or certain ones. */
type Kind = 'every' | 'stepped' | 'fixed';

/** The levels of a cron. `0 0 7 ? * MON` repeats by the week; `0 0 7 * 1 ?` by the day, and then by the year. */
export function cronLevel(cron: Cron): CronLevel {
  return { smallest: smallestLevel(cron), biggest: biggestLevel(cron) };
}

function smallestLevel({ fields, days }: Cron): Level {
  if (kindOf(fields.second) !== 'fixed') return 'second';
  if (kindOf(fields.minute) !== 'fixed') return 'minute';
  if (kindOf(fields.hour) !== 'fixed') return 'hour';
  const day = kindOf(fields.dayOfMonth);
  if (kindOf(fields.dayOfWeek) === 'every') {
    if (day !== 'fixed') return 'day';
  } else {
    if (day === 'stepped') return 'day';
    if (days.weekdays !== 0) return 'week';
  }
  return kindOf(fields.month) === 'fixed' ? 'year' : 'month';
}

/** A step repeats by the unit of its field, certain values by the unit above. */
function biggestLevel({ fields, days }: Cron): Level {
  const monthlyWeekday = days.lastWeekdays !== 0 || days.nthWeekdays.length > 0;
  const levels: [text: string, ifStepped: Level, ifFixed: Level][] = [
    [fields.second, 'second', 'minute'],
    [fields.minute, 'minute', 'hour'],
    [fields.hour, 'hour', 'day'],
    [fields.dayOfMonth, 'day', 'month'],
    [fields.dayOfWeek, 'week', monthlyWeekday ? 'month' : 'week'],
    [fields.month, 'month', 'year'],
    [fields.year, 'year', 'year'],
  ];
  let biggest = 0;
  for (const [text, ifStepped, ifFixed] of levels) {
    const kind = kindOf(text);
    if (kind === 'every') continue;
    biggest = Math.max(biggest, LEVELS.indexOf(kind === 'stepped' ? ifStepped : ifFixed));
  }
  return LEVELS[biggest];
}

function kindOf(text: string): Kind {
  if (text === '*' || text === '?') return 'every';
  return /^(\*|\w+)?\/\d+$/.test(text) ? 'stepped' : 'fixed';
}
