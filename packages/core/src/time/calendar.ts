/**
 * Calendars: days on which a schedule does not fire. A day is excluded by its date, its weekday or its day of
 * the year, always as the local calendar day in the schedule's zone.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { DAY, dateOf, daysInMonth, epochDay, weekdayOf } from './civil.ts';
import type { Zone } from './zone.ts';

/** A calendar as users write it. */
export interface CalendarRules {
  readonly name: string;
  /** Single days: `2026-10-01`. */
  readonly dates?: readonly string[];
  /** `sun` to `sat`. */
  readonly weekdays?: readonly string[];
  /** A day of every year: `12-25`; `02-29` applies only in leap years. */
  readonly yearly?: readonly string[];
}

/** A parsed calendar. Made by `parseCalendar`, immutable. */
export interface Calendar {
  readonly name: string;
  /** Epoch days. */
  readonly dates: ReadonlySet<number>;
  /** Bit w for weekday w, Sunday = 0. */
  readonly weekdays: number;
  /** Month x 100 + day. */
  readonly yearly: ReadonlySet<number>;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Any leap year: it has every day that a year can have. */
const LEAP_YEAR = 2000;

/** Parses a calendar; refuses a day that does not exist or an unknown weekday. */
export function parseCalendar(rules: CalendarRules): Calendar {
  const at = `calendar "${rules.name}"`;
  let weekdays = 0;
  for (const text of rules.weekdays ?? []) {
    const weekday = WEEKDAYS.indexOf(text.toLowerCase());
    if (weekday < 0) throw new InvalidInput(said('calendar.weekday', { text, names: WEEKDAYS }), at);
    weekdays |= 1 << weekday;
  }
  const dates = (rules.dates ?? []).map((text) => {
    const { year, month, day } = readDay(
      text,
      /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/,
      '2026-10-01',
      at,
    );
    return epochDay(year, month, day);
  });
  const yearly = (rules.yearly ?? []).map((text) => {
    const { month, day } = readDay(text, /^(?<month>\d\d)-(?<day>\d\d)$/, '12-25', at);
    return month * 100 + day;
  });
  return { name: rules.name, dates: new Set(dates), weekdays, yearly: new Set(yearly) };
}

/** Whether the calendar excludes the local day of an instant. */
export function excludes(calendar: Calendar, instant: number, zone: Zone): boolean {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY);
  if ((calendar.weekdays >>> weekdayOf(today)) & 1 || calendar.dates.has(today)) return true;
  if (calendar.yearly.size === 0) return false;
  const { month, day } = dateOf(today);
  return calendar.yearly.has(month * 100 + day);
}

function readDay(text: string, shape: RegExp, example: string, at: string) {
  const groups = shape.exec(text)?.groups;
  const year = Number(groups?.year ?? LEAP_YEAR);
  const month = Number(groups?.month);
  const day = Number(groups?.day);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) {
    throw new InvalidInput(said('calendar.day', { text, example }), at);
  }
  return { year, month, day };
}
