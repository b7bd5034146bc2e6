/**
 * Time zones: instants (epoch milliseconds) to wall-clock fields and back, by the rules of the IANA zone.
 * Offsets come from Intl once per zone and year and are then looked up, so conversion costs no formatting.
 */
import { InvalidInput } from '../errors.ts';

/** What a clock on the wall shows. `month` is 1-12, `weekday` 0-6 with Sunday = 0. */
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

/** The fields that name a wall-clock time; missing ones are zero. Out-of-range values roll over. */
export interface WallFields {
  year: number;
  month: number;
  day: number;
  hour?: number;
  minute?: number;
  second?: number;
  ms?: number;
}

/** One change of a zone's offset: from `at` on, local time is UTC + `offset`. */
interface Transition {
  at: number;
  offset: number;
}

/** A zone, resolved once by `zone()` and then only looked up. */
export interface Zone {
  readonly name: string;
  /** UTC offset in milliseconds at an instant. */
  offsetAt(instant: number): number;
}

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** Buckets of about a year, and the spacing of probes inside one: no zone changes twice within it. */
const BUCKET = 366 * DAY;
const PROBE = 6 * DAY;

const zones = new Map<string, Zone>();

/** The zone of an IANA name (`Asia/Shanghai`, `UTC`) or a fixed offset (`+08:00`). */
export function zone(name: string): Zone {
  let found = zones.get(name);
  if (!found) {
    found = load(name);
    zones.set(name, found);
  }
  return found;
}

/** The wall-clock fields of an instant. */
export function wall(instant: number, at: Zone): Wall {
  return fields(instant + at.offsetAt(instant));
}

/**
 * The instant of a wall-clock time. A time inside a gap (clocks forward) moves on by the length of the gap;
 * a time that happens twice (clocks back) means the second one, standard time. Both as Java's calendar does.
 */
export function instant(time: WallFields, at: Zone): number {
  const local = localMillis(time);
  // Try the offset after and before any transition nearby; the later one answers both rules.
  const after = at.offsetAt(local + DAY);
  const before = at.offsetAt(local - DAY);
  if (after === before) {
    const guess = local - after;
    const offset = at.offsetAt(guess);
    return offset === after ? guess : local - offset;
  }
  const late = local - after;
  if (at.offsetAt(late) === after) return late;
  return local - before;
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

/** The fields of a local time counted in milliseconds as if it were UTC. */
export function fields(local: number): Wall {
  const days = Math.floor(local / DAY);
  let rest = local - days * DAY;
  const shifted = days + 719_468;
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
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
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

function load(name: string): Zone {
  if (name === 'UTC' || name === 'Z' || name === 'GMT') return { name, offsetAt: () => 0 };
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new InvalidInput(`unknown time zone "${name}"; use an IANA name such as Asia/Shanghai, or UTC`);
  }
  const buckets = new Map<number, Transition[]>();
  return {
    name,
    offsetAt(at) {
      const index = Math.floor(at / BUCKET);
      let transitions = buckets.get(index);
      if (!transitions) {
        transitions = probe(format, index * BUCKET, (index + 1) * BUCKET);
        buckets.set(index, transitions);
      }
      let i = transitions.length - 1;
      while (transitions[i].at > at) i--;
      return transitions[i].offset;
    },
  };
}

/** The offsets in force between two instants; the first entry holds from `from` on. */
function probe(format: Intl.DateTimeFormat, from: number, to: number): Transition[] {
  const found: Transition[] = [{ at: from, offset: offsetByIntl(format, from) }];
  let at = from;
  let offset = found[0].offset;
  while (at < to) {
    const next = Math.min(at + PROBE, to);
    const offsetThere = offsetByIntl(format, next);
    if (offsetThere !== offset) {
      let low = at;
      let high = next;
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (offsetByIntl(format, middle) === offset) low = middle;
        else high = middle;
      }
      found.push({ at: high, offset: offsetThere });
      offset = offsetThere;
    }
    at = next;
  }
  return found;
}

function offsetByIntl(format: Intl.DateTimeFormat, at: number): number {
  const part: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = value;
  const year = part.era === 'BC' ? 1 - Number(part.year) : Number(part.year);
  const local = localMillis({
    year,
    month: Number(part.month),
    day: Number(part.day),
    hour: Number(part.hour),
    minute: Number(part.minute),
    second: Number(part.second),
  });
  return local - Math.floor(at / SECOND) * SECOND;
}
