/** Converts a stored schedule to the timing of its ticks. */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { type Calendar, interval, parseCalendar, parseCron, type Timing, zone } from '../time/index.ts';
import type { ExcludedDays, ScheduleSpec } from './types.ts';

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The timing of a schedule. An interval without `from` counts from 1970, so half an hour means :00 and :30.
 * Throws InvalidInput for a schedule that `parseWorkflow` would not accept, and for one that names a calendar
 * but lacks its days: it would fire on them.
 */
export function timingOf(schedule: ScheduleSpec): Timing {
  const { cron, every = 0, from, until } = schedule;
  const limits = { zone: zone(schedule.timezone), from, until, calendar: calendarOf(schedule) };
  if (cron !== undefined) return { ...limits, cron: parseCron(cron) };
  return { ...limits, every: interval(every, from ?? 0) };
}

function calendarOf({ name, exclude, calendar, holidays }: ScheduleSpec): Calendar | undefined {
  if (calendar !== undefined && holidays === undefined)
    throw new InvalidInput(said('file.noCalendar', { name: calendar, hint: '' }), `schedule "${name}"`);
  if (!exclude || !holidays) return parsed(exclude ?? holidays, name);
  const [own, shared] = [parsed(exclude, name), parsed(holidays, name)];
  return (
    own &&
    shared && {
      name,
      dates: own.dates.union(shared.dates),
      weekdays: own.weekdays | shared.weekdays,
      yearly: own.yearly.union(shared.yearly),
    }
  );
}

/** Cache of parsed calendars, which many schedules share. */
const calendars = new WeakMap<ExcludedDays, Calendar>();

function parsed(days: ExcludedDays | undefined, name: string): Calendar | undefined {
  if (!days) return undefined;
  const before = calendars.get(days);
  if (before) return before;
  const made = parseCalendar({ ...days, name, weekdays: days.weekdays.map((day) => weekdays[day]) });
  calendars.set(days, made);
  return made;
}
