/**
 * Windows of a dependency: the intervals of business time that must each hold a successful run of the other
 * workflow. An interval is an hour or a calendar day by the wall clock, so hours and days stay whole where
 * clocks change; or it is one version of the other workflow's schedule.
 */
import { InvalidInput } from '../errors.ts';
import { firstAt, mondayOf, monthStart } from '../params/calendar-day.ts';
import { type Cadence, requiredVersions, type VersionRange } from '../params/offset.ts';
import { said } from '../texts/index.ts';
import { DAY, HOUR, type Zone } from '../time/zone.ts';

/** From the first instant, inclusive, to the second, exclusive. */
export type Interval = readonly [from: number, to: number];

/** Hours or days counted from 1970: a range, or the last few by the wall clock before one. */
type Stretches =
  | { unit: number; first: number; last: number }
  | { unit: number; count: number; before: number };

type NamedWindow = (hour: number, day: number) => Stretches;

const lastHours =
  (count: number): NamedWindow =>
  (hour) => ({ unit: HOUR, count, before: hour });
const lastDays =
  (count: number): NamedWindow =>
  (_, day) => ({ unit: DAY, count, before: day });
const days =
  (first: (day: number) => number, last = first): NamedWindow =>
  (_, day) => ({ unit: DAY, first: first(day), last: last(day) });
const dayOfLastWeek = (index: number) => days((day) => mondayOf(day) - 7 + index);

const WINDOWS = {
  currentHour: (hour) => ({ unit: HOUR, first: hour, last: hour }),
  last1Hour: lastHours(1),
  last2Hours: lastHours(2),
  last3Hours: lastHours(3),
  last24Hours: lastHours(24),
  today: days((day) => day),
  last1Days: lastDays(1),
  last2Days: lastDays(2),
  last3Days: lastDays(3),
  last7Days: lastDays(7),
  thisWeek: days(mondayOf, (day) => day),
  lastWeek: days(
    (day) => mondayOf(day) - 7,
    (day) => mondayOf(day) - 1,
  ),
  lastMonday: dayOfLastWeek(0),
  lastTuesday: dayOfLastWeek(1),
  lastWednesday: dayOfLastWeek(2),
  lastThursday: dayOfLastWeek(3),
  lastFriday: dayOfLastWeek(4),
  lastSaturday: dayOfLastWeek(5),
  lastSunday: dayOfLastWeek(6),
  thisMonth: days(monthStart, (day) => day),
  thisMonthBegin: days(monthStart),
  thisMonthEnd: days((day) => monthStart(day, 1) - 1),
  lastMonth: days(
    (day) => monthStart(day, -1),
    (day) => monthStart(day) - 1,
  ),
  lastMonthBegin: days((day) => monthStart(day, -1)),
  lastMonthEnd: days((day) => monthStart(day) - 1),
} satisfies Record<string, NamedWindow>;

/** The name of a window. `last…` never includes the current hour, day, week or month. */
export type DateValue = keyof typeof WINDOWS;

/** All named windows. */
export const DATE_VALUES = Object.keys(WINDOWS) as readonly DateValue[];

/** A named window, or versions of the other workflow's schedule: `{offset: -1, count: 1}` is its previous tick. */
export type DependencyWindow = DateValue | VersionRange;

/**
 * The intervals of a window, in order. An hour or day skipped by the zone has none. `thisWeek` and
 * `thisMonth` end with the business day. A version range needs the cadence of the other workflow's schedule.
 */
export function windowIntervals(
  window: DependencyWindow,
  businessTime: number,
  zone: Zone,
  cadence?: Cadence,
): Interval[] {
  if (typeof window === 'object') {
    if (!cadence) throw new InvalidInput(said('depend.noSchedule'));
    return requiredVersions(window, businessTime, cadence).map((at) => [at, at + 1]);
  }
  if (!Object.hasOwn(WINDOWS, window)) {
    throw new InvalidInput(said('depend.unknownWindow', { window, names: DATE_VALUES.join(' ') }));
  }
  const local = businessTime + zone.offsetAt(businessTime);
  const named: NamedWindow = WINDOWS[window];
  const stretches = named(Math.floor(local / HOUR), Math.floor(local / DAY));
  const found: Interval[] = [];
  if ('count' in stretches) {
    for (let index = stretches.before - 1; found.length < stretches.count; index--) {
      found.push(...stretch(index, stretches.unit, zone));
    }
    return found.reverse();
  }
  for (let index = stretches.first; index <= stretches.last; index++) {
    found.push(...stretch(index, stretches.unit, zone));
  }
  return found;
}

/** One hour or day; none if the clock jumped over it. */
function stretch(index: number, unit: number, zone: Zone): Interval[] {
  const from = firstAt(index * unit, zone);
  const to = firstAt((index + 1) * unit, zone);
  return from < to ? [[from, to]] : [];
}
