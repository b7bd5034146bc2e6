/**
 * Calendar days in a zone, as epoch days: the arithmetic behind time placeholders and dependency windows. A
 * day is a calendar day, so it may last 23 or 25 hours, and months have their calendar length.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { DAY, epochDay, fields, instant, weekdayOf, type Zone } from '../time/zone.ts';

const FIRST = epochDay(1, 1, 1) * DAY;
const END = epochDay(10_000, 1, 1) * DAY;

/** The calendar day of an instant. */
export function dayOf(at: number, zone: Zone): number {
  return Math.floor((at + zone.offsetAt(at)) / DAY);
}

/** The same time of day on another calendar day. For the instant's own day, the instant stays unchanged. */
export function onDay(at: number, day: number, zone: Zone): number {
  if (day === dayOf(at, zone)) return at;
  withinCalendar(day * DAY);
  const local = at + zone.offsetAt(at);
  return instant(fields(day * DAY + (local - Math.floor(local / DAY) * DAY)), zone);
}

/** Refuses an instant outside the years 1 to 9999, which no format can print and no zone has rules for. */
export function withinCalendar(at: number): number {
  if (at >= FIRST && at < END) return at;
  throw new InvalidInput(said('param.outsideYears'));
}

/**
 * The first instant at which a wall clock shows a local time, or jumps over it. Unlike `instant()`, which
 * takes the second of two equal times, this is the start of an hour or a day.
 */
export function firstAt(local: number, zone: Zone): number {
  const late = instant(fields(local), zone);
  const early = local - zone.offsetAt(local - DAY);
  return early < late && early + zone.offsetAt(early) === local ? early : late;
}

/** The Monday of a day's ISO week. */
export function mondayOf(day: number): number {
  return day - ((weekdayOf(day) + 6) % 7);
}

/** The first day of a day's month, or of the month `shift` months away. */
export function monthStart(day: number, shift = 0): number {
  const { year, month } = fields(day * DAY);
  return epochDay(year, month + shift, 1);
}

/**
 * The same day of the month `months` later; a day missing from that month becomes its last day (31 Jan + 1 =
 * 28 Feb).
 */
export function plusMonths(day: number, months: number): number {
  const offset = day - monthStart(day);
  return Math.min(monthStart(day, months) + offset, monthStart(day, months + 1) - 1);
}
