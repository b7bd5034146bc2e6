/**
 * The levels of a cron: the units in which its ticks repeat, derived from the written fields. They let people
 * read "fires every minute" or "every day, in a yearly pattern" without a list of ticks.
 */
import type { Cron } from './cron.ts';

/** Units of repetition, smallest first. */
const LEVELS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

/** A unit of repetition. */
export type Level = (typeof LEVELS)[number];

/**
 * `smallest`: the unit between consecutive ticks. `biggest`: the unit after which the whole pattern repeats.
 */
export interface CronLevel {
  readonly smallest: Level;
  readonly biggest: Level;
}

/** Form of a field: every value, steps (`0/15`), or certain values. */
type Kind = 'every' | 'stepped' | 'fixed';

/** The levels of a cron. `0 0 7 ? * MON` repeats weekly; `0 0 7 * 1 ?` daily within a yearly pattern. */
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

/** A step repeats by the unit of its field, fixed values by the unit above. */
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
