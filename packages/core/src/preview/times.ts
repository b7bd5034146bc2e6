/** Zones and times as previews read and write them. */
import { formatIso, parseTime, type Zone, zone } from '../time/index.ts';
import type { Fields } from './fields.ts';

/** The zone in the field `tz`; default UTC. */
export function readZone(fields: Fields): Zone {
  return fields.parsed('tz', zone) ?? zone('UTC');
}

/** The instant in a field, written with an offset or as local time of the zone. */
export function readTime(fields: Fields, name: string, zone: Zone): number | undefined {
  return fields.parsed(name, (text) => parseTime(text, zone));
}

/** ISO 8601 in UTC, with milliseconds only if they are not zero. */
export function utcTime(at: number): string {
  return formatIso(at, zone('UTC'));
}
