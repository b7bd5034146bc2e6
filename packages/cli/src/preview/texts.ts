/** Answers of previews as people read them. */
import { CRON_COUNT, type Fields, readZone } from '@orrery/core/preview';
import { formatIso, wall, type Zone } from '@orrery/core/time';
import { table } from './table.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Ticks in the zone they were asked for. */
export function cronText({ next }: { next: readonly string[] }, fields: Fields): string {
  const zone = readZone(fields);
  const lines = next.map((each) => localTime(Date.parse(each), zone));
  const asked = fields.whole('count', Number.MAX_SAFE_INTEGER, CRON_COUNT);
  if (next.length < asked) lines.push(next.length === 0 ? 'never fires again' : 'and never again');
  return lines.join('\n');
}

/** `Mon 2026-01-05 12:00:00+08:00`. */
function localTime(at: number, zone: Zone): string {
  return `${WEEKDAYS[wall(at, zone).weekday]} ${formatIso(at, zone).replace('T', ' ')}`;
}

/** The text itself. */
export function paramsText({ value }: { value: string }): string {
  return value;
}

/** A server a line. */
export function shardsText({ servers }: { servers: Readonly<Record<string, readonly number[]>> }): string {
  return table(Object.entries(servers).map(([server, items]) => [server, items.join(' ') || '-']));
}

/** A master a line. */
export function planText({
  nodes,
}: {
  nodes: Readonly<Record<string, readonly [number, number] | null>>;
}): string {
  return table(
    Object.entries(nodes).map(([node, range]) =>
      range ? [node, `${range[0]} to ${range[1]}`, `${range[1] - range[0] + 1} schedules`] : [node, '-', ''],
    ),
  );
}

/** An interval a line. */
export function dependencyText({ intervals }: { intervals: readonly (readonly [string, string])[] }): string {
  return intervals.map(([from, to]) => `${from} to ${to}`).join('\n');
}
