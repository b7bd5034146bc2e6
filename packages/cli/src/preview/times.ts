/** Zones and times as a preview reads and prints them. */
import { formatIso, parseTime, wall, type Zone, zone } from '@orrery/core/time';
import type { Fields } from './fields.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The zone in the field `tz`, UTC when it is missing. */
export function readZone(fields: Fields): Zone {
  return fields.parsed('tz', zone) ?? zone('UTC');
}

/** The instant in a field, written with an offset or as local time of the zone. */
export function readTime(fields: Fields, name: string, zone: Zone): number | undefined {
  return fields.parsed(name, (text) => parseTime(text, zone));
}

/** ISO 8601 in UTC, with milliseconds only where there are some. */
export function utcTime(at: number): string {
  return formatIso(at, zone('UTC'));
}

/** For people: `Mon 2026-01-05 12:00:00+08:00`. */
export function localTime(at: number, zone: Zone): string {
  return `${WEEKDAYS[wall(at, zone).weekday]} ${formatIso(at, zone).replace('T', ' ')}`;
}
