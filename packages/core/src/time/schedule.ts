/**
 * The timing of a schedule as one value: a cron or an interval, its zone, its window of validity and its
 * calendar of excluded days. Its ticks are a fixed set: `nextTick` and `previousTick` walk it in either
 * direction and agree with each other from any start.
 */
import { type Calendar, excludes } from './calendar.ts';
import { DAY } from './civil.ts';
import { type Cron, cronNext, cronPrevious, LAST_INSTANT } from './cron.ts';
import { EVERY_WEEKDAY } from './cron-days.ts';
import { type Interval, intervalNext, intervalPrevious } from './interval.ts';
import type { Zone } from './zone.ts';

interface TimingLimits {
  readonly zone: Zone;
  /** First and last instant at which it may fire, both inclusive. */
  readonly from?: number;
  readonly until?: number;
  readonly calendar?: Calendar;
}

/** When a schedule fires: exactly one of `cron` and `every`. */
export type Timing = TimingLimits &
  (
    | { readonly cron: Cron; readonly every?: undefined }
    | { readonly every: Interval; readonly cron?: undefined }
  );

/**
 * The first tick strictly after an instant; undefined if there is none before the end of the window or of the
 * year 2099. Excluded days are skipped a day at a time, so even a calendar that excludes every day takes at
 * most one step per day.
 */
export function nextTick(timing: Timing, after: number): number | undefined {
  const { zone, calendar, from = Number.NEGATIVE_INFINITY, until = LAST_INSTANT } = timing;
  const last = Math.min(until, LAST_INSTANT);
  if (calendar?.weekdays === EVERY_WEEKDAY) return undefined;
  let tick = nextOf(timing, Math.max(after, from - 1));
  while (tick !== undefined && tick <= last) {
    if (!calendar || !excludes(calendar, tick, zone)) return tick;
    tick = nextOf(timing, sameDayUntil(tick, zone) - 1);
  }
  return undefined;
}

/** The last tick strictly before an instant; undefined if there is none in the window. */
export function previousTick(timing: Timing, before: number): number | undefined {
  const { zone, calendar, from = Number.NEGATIVE_INFINITY, until = LAST_INSTANT } = timing;
  if (calendar?.weekdays === EVERY_WEEKDAY) return undefined;
  let tick = previousOf(timing, Math.min(before, until + 1, LAST_INSTANT + 1));
  while (tick !== undefined && tick >= from) {
    if (!calendar || !excludes(calendar, tick, zone)) return tick;
    tick = previousOf(timing, sameDayFrom(tick, zone));
  }
  return undefined;
}

/**
 * The ticks after one instant up to and including another, oldest first, at most `limit`; continue from the
 * last.
 */
export function ticksBetween(timing: Timing, after: number, to: number, limit: number): number[] {
  const ticks: number[] = [];
  let tick = nextTick(timing, after);
  while (tick !== undefined && tick <= to && ticks.length < limit) {
    ticks.push(tick);
    tick = nextTick(timing, tick);
  }
  return ticks;
}

/** The first ticks that the calendar excludes, after one instant and up to another, at most `limit`. */
export function leftOutTicks(timing: Timing, after: number, to: number, limit: number): number[] {
  const { zone, calendar } = timing;
  const found: number[] = [];
  if (!calendar) return found;
  const every: Timing = { ...timing, calendar: undefined };
  let tick = nextTick(every, after);
  while (tick !== undefined && tick <= to && found.length < limit) {
    if (excludes(calendar, tick, zone)) found.push(tick);
    tick = nextTick(every, tick);
  }
  return found;
}

function nextOf(timing: Timing, after: number): number | undefined {
  return timing.cron ? cronNext(timing.cron, after, timing.zone) : intervalNext(timing.every, after);
}

function previousOf(timing: Timing, before: number): number | undefined {
  return timing.cron
    ? cronPrevious(timing.cron, before, timing.zone)
    : intervalPrevious(timing.every, before);
}

/**
 * An instant up to which the local date is certainly that of `instant`: the end of its day or of its offset.
 */
function sameDayUntil(instant: number, zone: Zone): number {
  const { offset, to } = zone.spanAt(instant);
  return Math.min((Math.floor((instant + offset) / DAY) + 1) * DAY - offset, to);
}

/** The instant from which the local date is certainly that of `instant`. */
function sameDayFrom(instant: number, zone: Zone): number {
  const { offset, from } = zone.spanAt(instant);
  return Math.max(Math.floor((instant + offset) / DAY) * DAY - offset, from);
}
