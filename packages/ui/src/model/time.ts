/**
 * Times and durations for people. A time within a day of now is relative, any other absolute, and an absolute
 * time always names its zone. Pure: the caller passes the current time and the names of the units.
 */

/** How a language writes its units, with the space it wants before them. */
export interface Units {
  readonly ms: string;
  readonly s: string;
  readonly m: string;
  readonly h: string;
  readonly d: string;
}

/** The units of English and of programs. */
export const englishUnits: Units = { ms: ' ms', s: ' s', m: ' m', h: ' h', d: ' d' };

/** The units of Chinese. */
export const chineseUnits: Units = { ms: ' 毫秒', s: ' 秒', m: ' 分', h: ' 小时', d: ' 天' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `842 ms`, `12.4 s`, `3 m 07 s`, `2 h 14 m`, `3 d 4 h`: two units at most, cut and never rounded up. */
export function duration(ms: number, units: Units = englishUnits): string {
  const time = Math.max(0, ms);
  if (time < SECOND) return `${Math.floor(time)}${units.ms}`;
  if (time < MINUTE) return `${(Math.floor(time / 100) / 10).toFixed(1)}${units.s}`;
  if (time < HOUR) return pair(time, MINUTE, units.m, SECOND, units.s, 2);
  if (time < DAY) return pair(time, HOUR, units.h, MINUTE, units.m, 2);
  return pair(time, DAY, units.d, HOUR, units.h, 1);
}

/** The same in one unit, for how long ago something was: `45 s`, `6 h`. */
export function roughDuration(ms: number, units: Units = englishUnits): string {
  const time = Math.max(0, ms);
  if (time < MINUTE) return `${Math.floor(time / SECOND)}${units.s}`;
  if (time < HOUR) return `${Math.floor(time / MINUTE)}${units.m}`;
  if (time < DAY) return `${Math.floor(time / HOUR)}${units.h}`;
  return `${Math.floor(time / DAY)}${units.d}`;
}

function pair(time: number, big: number, bigUnit: string, small: number, smallUnit: string, digits: number) {
  const rest = String(Math.floor((time % big) / small)).padStart(digits, '0');
  return `${Math.floor(time / big)}${bigUnit} ${rest}${smallUnit}`;
}

/** A length that was chosen, exactly and without zeros: `20 s`, `1 h`, `1 h 30 m`. */
export function interval(ms: number, units: Units = englishUnits): string {
  const sizes = [DAY, HOUR, MINUTE, SECOND, 1];
  const names = [units.d, units.h, units.m, units.s, units.ms];
  const parts: string[] = [];
  let rest = ms;
  sizes.forEach((size, at) => {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole}${names[at]}`);
  });
  return parts.join(' ') || `0${units.s}`;
}

/** Whether a time is shown relative to now. */
export function isNear(at: number, now: number): boolean {
  return Math.abs(now - at) < DAY;
}

/** The zone of shown times: the browser's, that of the schedule if there is one, or UTC. */
export const zoneChoices = ['browser', 'schedule', 'utc'] as const;
export type ZoneChoice = (typeof zoneChoices)[number];

/** The zone of a choice. */
export function zoneOf(choice: ZoneChoice, own?: string): string {
  if (choice === 'utc') return 'UTC';
  if (choice === 'schedule' && own !== undefined && isZone(own)) return own;
  browserZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return browserZone;
}

/** Cached: the answer never changes, and every time on a page needs it. */
let browserZone: string | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
    timeZoneName: 'shortOffset',
  });
  formats.set(zone, made);
  return made;
}

function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What an absolute time consists of, in a zone. */
export interface TimeParts {
  /** `2026-03-01` */
  readonly date: string;
  /** `08:00:07` */
  readonly time: string;
  /** `.123` */
  readonly fraction: string;
  /** `UTC+8` */
  readonly offset: string;
}

/** Takes a time apart in a zone. */
export function timeParts(at: number, zone: string): TimeParts {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) part[type] = value;
  return {
    date: `${part.year}-${part.month}-${part.day}`,
    time: `${part.hour}:${part.minute}:${part.second}`,
    fraction: `.${part.fractionalSecond}`,
    offset: (part.timeZoneName ?? '').replace('GMT', 'UTC').replace(/\+0$/, ''),
  };
}

/** `2026-03-01 08:00:07 UTC+8`; it sorts, and reads the same in every language. */
export function absoluteTime(at: number, zone: string): string {
  const { date, time, offset } = timeParts(at, zone);
  return `${date} ${time} ${offset}`;
}
