/**
 * Dates and times as people write them: `2021-01-01`, `2021/01/01` or `20210101`, alone (midnight) or with a
 * time (`2021-01-01 08:30`, `2021-01-01T08:30:00.250`, `20210101 083000`), with an offset (`Z`, `+08:00`) or without.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import { DAY, daysInMonth, HOUR, localMillis, MINUTE, SECOND, type WallFields } from './civil.ts';
import { instant, type Zone } from './zone.ts';

/** A written time: the fields of a clock, and its offset in milliseconds if given. */
export interface WrittenTime {
  readonly wall: Required<WallFields>;
  readonly offset?: number;
}

const DATE = /^(?:(\d{4})-(\d\d)-(\d\d)|(\d{4})\/(\d\d)\/(\d\d)|(\d{4})(\d\d)(\d\d))(?:[ T](.+))?$/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?$/;

/** Its time has no separators either: group 7 of `DATE` is set. */
const COMPACT_TIME = /^(\d\d)(\d\d)(\d\d)$/;

/** Parses a time without a zone. A date or time that does not exist is refused, not rolled over. */
export function readTime(text: string): WrittenTime {
  const date = DATE.exec(text.trim());
  const clock = date?.[10] ?? '00:00';
  const time = TIME.exec(clock) ?? (date?.[7] === undefined ? null : COMPACT_TIME.exec(clock));
  if (!date || !time) refuse(text, said('time.unreadable'));
  const [year, month, day] = date.slice(1, 10).filter(Boolean).map(Number);
  const [hour, minute, second] = time.slice(1, 4).map((digits) => Number(digits ?? 0));
  const ms = Number((time[4] ?? '').slice(0, 3).padEnd(3, '0'));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) refuse(text, said('time.noDay'));
  if (hour > 23 || minute > 59 || second > 59) refuse(text, said('time.noTime'));
  const wall = { year, month, day, hour, minute, second, ms };
  if (time[5] === undefined) return { wall };
  const offset = readOffset(time[5]);
  if (Math.abs(offset) >= DAY) refuse(text, said('time.longOffset'));
  return { wall, offset };
}

/** The instant of a written time; without an offset it is local time in the zone, as `instant()` reads it. */
export function parseTime(text: string, zone: Zone): number {
  const { wall, offset } = readTime(text);
  return offset === undefined ? instant(wall, zone) : localMillis(wall) - offset;
}

/** The last instant covered by a written time: a date covers its whole day. */
export function lastInstantOf(text: string, zone: Zone): number {
  const { wall } = readTime(text);
  return DATE.exec(text.trim())?.[10] !== undefined
    ? parseTime(text, zone)
    : instant({ ...wall, day: wall.day + 1 }, zone) - 1;
}

function readOffset(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = (text.match(/\d\d/g) ?? []).map(Number);
  const size = hours * HOUR + minutes * MINUTE + seconds * SECOND;
  return text.startsWith('-') ? -size : size;
}

function refuse(text: string, why: Said): never {
  throw new InvalidInput(said('time.written', { text, why }));
}
