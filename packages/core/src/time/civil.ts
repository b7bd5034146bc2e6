/**
 * The calendar without zones: dates as days since 1970-01-01, local times as milliseconds counted as if they
 * were UTC, and the fields a clock shows for them. Proleptic Gregorian, in integer arithmetic.
 */

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** Fields of a wall clock. `month` is 1-12, `weekday` 0-6 with Sunday = 0. */
export interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  weekday: number;
}

/** Fields that define a wall-clock time; missing ones are zero. Out-of-range values roll over. */
export interface WallFields {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  ms?: number;
}

/** Days since 1970-01-01 of a calendar date; month and day may be out of range and roll over. */
export function epochDay(year: number, month: number, day: number): number {
  const y0 = year + Math.floor((month - 1) / 12);
  const m = ((((month - 1) % 12) + 12) % 12) + 1;
  const y = m <= 2 ? y0 - 1 : y0;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (m > 2 ? m - 3 : m + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

/** Weekday of an epoch day, Sunday = 0. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** Number of days in a month, 1-12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The calendar date of an epoch day. */
export function dateOf(day: number): { year: number; month: number; day: number } {
  // Counted from 0000-03-01, so that the leap day ends its year and months have a regular length.
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** The fields of a local time counted in milliseconds as if it were UTC. */
export function fields(local: number): Wall {
  const days = Math.floor(local / DAY);
  const { year, month, day } = dateOf(days);
  let rest = local - days * DAY;
  const hour = Math.floor(rest / HOUR);
  rest -= hour * HOUR;
  const minute = Math.floor(rest / MINUTE);
  rest -= minute * MINUTE;
  const second = Math.floor(rest / SECOND);
  return { year, month, day, hour, minute, second, ms: rest - second * SECOND, weekday: weekdayOf(days) };
}

/** A wall-clock time in milliseconds as if it were UTC. */
export function localMillis(time: WallFields): number {
  const { year, month, day, hour = 0, minute = 0, second = 0, ms = 0 } = time;
  return epochDay(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second * SECOND + ms;
}
