/**
 * Searches the local times that a cron accepts, on a clock without changes: first the day, by one mask per
 * month, then the second of that day. Zones matter only in `cron.ts`, which converts local times to instants.
 */
import { highestBit, lowestBit, nextBit, previousBit } from './bits.ts';
import { dateOf, epochDay, SECOND } from './civil.ts';
import type { Cron } from './cron.ts';
import { acceptedDays } from './cron-days.ts';

/** Years in which a cron fires; a year field outside them is refused. */
export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2099;

/** First and last epoch day of those years. */
export const FIRST_DAY = 0;
export const LAST_DAY = epochDay(LAST_YEAR, 12, 31);

/** Result of a search without a match. No local time here is negative. */
export const NONE = -1;

const SECONDS_A_DAY = 86_400;

/** The first accepted local time at or after a whole second, or NONE. */
export function nextLocal(cron: Cron, local: number): number {
  const seconds = Math.max(local / SECOND, FIRST_DAY * SECONDS_A_DAY);
  const today = Math.floor(seconds / SECONDS_A_DAY);
  let day = nextDay(cron, today);
  if (day === today) {
    const time = nextTime(cron, seconds - today * SECONDS_A_DAY);
    if (time !== NONE) return (today * SECONDS_A_DAY + time) * SECOND;
    day = nextDay(cron, today + 1);
  }
  return day === NONE ? NONE : (day * SECONDS_A_DAY + nextTime(cron, 0)) * SECOND;
}

/** The last accepted local time at or before a whole second, or NONE. */
export function previousLocal(cron: Cron, local: number): number {
  const seconds = Math.min(local / SECOND, (LAST_DAY + 1) * SECONDS_A_DAY - 1);
  const today = Math.floor(seconds / SECONDS_A_DAY);
  if (today < FIRST_DAY) return NONE;
  let day = previousDay(cron, today);
  if (day === today) {
    const time = previousTime(cron, seconds - today * SECONDS_A_DAY);
    if (time !== NONE) return (today * SECONDS_A_DAY + time) * SECOND;
    day = previousDay(cron, today - 1);
  }
  return day === NONE ? NONE : (day * SECONDS_A_DAY + previousTime(cron, SECONDS_A_DAY - 1)) * SECOND;
}

/** The first accepted second of a day at or after the given one, or NONE. */
function nextTime(cron: Cron, time: number): number {
  const hour = Math.floor(time / 3_600);
  const minute = Math.floor(time / 60) % 60;
  let h = nextBit(cron.hours, hour);
  if (h === hour) {
    let m = nextBit(cron.minutes, minute);
    if (m === minute) {
      const s = nextBit(cron.seconds, time % 60);
      if (s !== NONE) return h * 3_600 + m * 60 + s;
      m = nextBit(cron.minutes, minute + 1);
    }
    if (m !== NONE) return h * 3_600 + m * 60 + nextBit(cron.seconds, 0);
    h = nextBit(cron.hours, hour + 1);
  }
  return h === NONE ? NONE : h * 3_600 + nextBit(cron.minutes, 0) * 60 + nextBit(cron.seconds, 0);
}

/** The last accepted second of a day at or before the given one, or NONE. */
function previousTime(cron: Cron, time: number): number {
  const hour = Math.floor(time / 3_600);
  const minute = Math.floor(time / 60) % 60;
  let h = previousBit(cron.hours, hour);
  if (h === hour) {
    let m = previousBit(cron.minutes, minute);
    if (m === minute) {
      const s = previousBit(cron.seconds, time % 60);
      if (s !== NONE) return h * 3_600 + m * 60 + s;
      m = previousBit(cron.minutes, minute - 1);
    }
    if (m !== NONE) return h * 3_600 + m * 60 + previousBit(cron.seconds, 59);
    h = previousBit(cron.hours, hour - 1);
  }
  return h === NONE ? NONE : h * 3_600 + previousBit(cron.minutes, 59) * 60 + previousBit(cron.seconds, 59);
}

/** The first accepted epoch day at or after the given one, or NONE. */
function nextDay(cron: Cron, from: number): number {
  if (from > LAST_DAY) return NONE;
  if (cron.everyDay) return from;
  const start = dateOf(from);
  let month = start.month;
  let days = -1 << start.day;
  for (let y = nextBit(cron.years, start.year - FIRST_YEAR); y !== NONE; y = nextBit(cron.years, y + 1)) {
    const year = FIRST_YEAR + y;
    if (year !== start.year) month = 1;
    for (let m = nextBit(cron.months, month); m !== NONE; m = nextBit(cron.months, m + 1)) {
      if (m !== start.month || year !== start.year) days = -1;
      const found = acceptedDays(cron.days, year, m) & days;
      if (found !== 0) return epochDay(year, m, lowestBit(found));
    }
  }
  return NONE;
}

/** The last accepted epoch day at or before the given one, or NONE. */
function previousDay(cron: Cron, from: number): number {
  if (from < FIRST_DAY) return NONE;
  if (cron.everyDay) return from;
  const start = dateOf(from);
  let month = start.month;
  let days = -1 >>> (31 - start.day);
  for (
    let y = previousBit(cron.years, start.year - FIRST_YEAR);
    y !== NONE;
    y = previousBit(cron.years, y - 1)
  ) {
    const year = FIRST_YEAR + y;
    if (year !== start.year) month = 12;
    for (let m = previousBit(cron.months, month); m !== NONE; m = previousBit(cron.months, m - 1)) {
      if (m !== start.month || year !== start.year) days = -1;
      const found = acceptedDays(cron.days, year, m) & days;
      if (found !== 0) return epochDay(year, m, highestBit(found));
    }
  }
  return NONE;
}
