/** Deadlines: the time by which a run of a business day must have succeeded. */
import { epochDay, instant, wall, weekdayOf, zone } from '../time/index.ts';
import type { DeadlineSpec } from './types.ts';

/** The deadline of one business day. */
export interface DeadlineDay {
  /** The day, as `2026-03-01`. */
  readonly day: string;
  /** Business times from here, up to but not including `to`, belong to the day. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** A deadline may fall in the night after its day. */
const DAYS_BACK = 2;

/** The first deadline after an instant. */
export function nextDeadline(spec: DeadlineSpec, after: number): DeadlineDay {
  const here = zone(spec.timezone);
  const { year, month, day } = wall(after, here);
  const [hour, minute] = spec.at.split(':').map(Number);
  for (let k = -DAYS_BACK; ; k++) {
    const date = { year, month, day: day + k };
    const at = instant({ ...date, hour, minute }, here);
    const weekday = weekdayOf(epochDay(year, month, day + k));
    if (at <= after || (spec.days && !spec.days.includes(weekday))) continue;
    const from = instant(date, here);
    const shown = wall(from, here);
    const two = (number: number) => String(number).padStart(2, '0');
    const to = instant({ ...date, day: day + k + 1 }, here);
    return { day: `${shown.year}-${two(shown.month)}-${two(shown.day)}`, from, to, at };
  }
}
