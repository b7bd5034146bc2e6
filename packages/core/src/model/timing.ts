/** From a schedule as it is kept to what its ticks are computed from. */
import { interval, parseCalendar, parseCron, type Timing, zone } from '../time/index.ts';
import type { ScheduleSpec } from './types.ts';

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The timing of a schedule. An interval without `from` counts from 1970, so that half an hour means at :00 and :30.
 * Throws InvalidInput for a schedule that `parseWorkflow` would not accept.
 */
export function timingOf(schedule: ScheduleSpec): Timing {
  const { name, cron, every = 0, from, until, exclude } = schedule;
  const calendar =
    exclude && parseCalendar({ ...exclude, name, weekdays: exclude.weekdays.map((day) => weekdays[day]) });
  const limits = { zone: zone(schedule.timezone), from, until, calendar };
  if (cron !== undefined) return { ...limits, cron: parseCron(cron) };
  return { ...limits, every: interval(every, from ?? 0) };
}
