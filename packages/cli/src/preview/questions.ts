/** The previews as the command line asks them: each with the form in which people read its answers. */
import {
  CRON_COUNT,
  cron,
  dependency,
  type Fields,
  params,
  plan,
  readZone,
  shards,
} from '@orrery/core/preview';
import { formatIso, wall, type Zone } from '@orrery/core/time';
import { question } from './preview.ts';
import { table } from './table.ts';

/** Every preview by its name. */
export const questions = {
  cron: question(cron, cronText),
  params: question(params, ({ value }) => value),
  shards: question(shards, shardsText),
  plan: question(plan, planText),
  dependency: question(dependency, dependencyText),
} as const;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Ticks in the requested zone. */
function cronText({ next }: { next: readonly string[] }, fields: Fields): string {
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

/** A server a line. */
function shardsText({ servers }: { servers: Readonly<Record<string, readonly number[]>> }): string {
  return table(Object.entries(servers).map(([server, items]) => [server, items.join(' ') || '-']));
}

/** A master a line. */
function planText({ nodes }: { nodes: Readonly<Record<string, readonly [number, number] | null>> }): string {
  return table(
    Object.entries(nodes).map(([node, range]) =>
      range ? [node, `${range[0]} to ${range[1]}`, `${range[1] - range[0] + 1} schedules`] : [node, '-', ''],
    ),
  );
}

/** An interval a line; a version is one time. */
function dependencyText(
  {
    intervals,
    versions,
  }: { intervals: readonly (readonly [string, string])[]; versions?: readonly number[] },
  fields: Fields,
): string {
  if (versions && fields.parsed('cron', String) === undefined)
    return `versions ${versions.join(', ')} of the other workflow's schedule; add --cron to see their times`;
  return intervals.map(([from, to]) => (from === to ? from : `${from} to ${to}`)).join('\n');
}
