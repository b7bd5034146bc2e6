/** The business times that a backfill asks for: given one by one, or the ticks of a range. */

import type { ReadInput } from '@orrery/contract';
import { hintFor, parseDuration, type ScheduleSpec, timingOf, type Workflow } from '@orrery/core/model';
import { MAX_ELEMENTS } from '@orrery/core/series';
import { said } from '@orrery/core/texts';
import {
  interval,
  lastInstantOf,
  parseCron,
  parseTime,
  type Timing,
  ticksBetween,
  zone,
} from '@orrery/core/time';
import type { Store } from '@orrery/store';
import { Refusal } from '../problem.ts';

/** The body of the request. */
type Asked = ReadInput<'startBackfill'>['body'];

/** Business times in starting order, and how the runs of a schedule differ from others. */
export interface BackfillTimes {
  readonly times: readonly number[];
  readonly timezone: string;
  /** The schedule whose ticks they are. */
  readonly schedule?: ScheduleSpec;
}

/** Works the times out; at most one more than a backfill may have. */
export async function timesOf(asked: Asked, workflow: Workflow, store: Store): Promise<BackfillTimes> {
  const { times, from = '', to = '', order } = asked;
  const written = times ? undefined : scheduleOf(asked, workflow);
  const schedule = written && (await store.readHolidays({ project: workflow.project, spec: written }));
  const timezone = asked.timezone ?? schedule?.timezone ?? workflow.timezone;
  const here = zone(timezone);
  const ordered = (list: readonly number[]) => (order === 'newest' ? list.toReversed() : list);
  if (times) {
    const given = new Set(times.map((text) => parseTime(text, here)));
    return { times: ordered([...given].sort((a, b) => a - b)), timezone };
  }
  const first = parseTime(from, here);
  const last = lastInstantOf(to, here);
  if (last < first) throw new Refusal('not-accepted', said('backfill.toBeforeFrom', { to, from }));
  const timing = timingFrom(asked, schedule, timezone, first);
  const ticks = ticksBetween(timing, first - 1, last, MAX_ELEMENTS + 1);
  if (ticks.length === 0) throw new Refusal('not-accepted', said('backfill.noTick', { from, to }));
  if (ticks.length > MAX_ELEMENTS) tooMany(timing, ticks[MAX_ELEMENTS], last);
  return { times: ordered(ticks), timezone, schedule };
}

/** Limit of counted ticks; a higher number is shown as "more than". */
const MOST_COUNTED = 1_000_000;

function tooMany(timing: Timing, from: number, last: number): never {
  const more = ticksBetween(timing, from, last, MOST_COUNTED - MAX_ELEMENTS).length;
  const count = MAX_ELEMENTS + 1 + more;
  refuseCount(count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count));
}

/** Refuses a backfill that is too large, with its size. */
export function refuseCount(count: string): never {
  throw new Refusal('not-accepted', said('backfill.tooMany', { count, most: MAX_ELEMENTS }));
}

function timingFrom(
  { cron, every }: Asked,
  schedule: ScheduleSpec | undefined,
  timezone: string,
  first: number,
): Timing {
  const here = zone(timezone);
  if (cron !== undefined) return { zone: here, cron: parseCron(cron) };
  if (every !== undefined) return { zone: here, every: interval(parseDuration(every), first) };
  if (!schedule) throw new Refusal('not-accepted', said('backfill.noSchedule'));
  // Backfilled times often lie before the window in which the schedule fires by itself.
  return { ...timingOf(schedule), from: undefined, until: undefined };
}

/** The schedule that is meant: the one that is named, or the only one. */
function scheduleOf({ schedule, cron, every }: Asked, { schedules }: Workflow): ScheduleSpec | undefined {
  if (cron !== undefined || every !== undefined) return undefined;
  const names = schedules.map(({ name }) => name);
  const found = schedule === undefined ? schedules[0] : schedules.find(({ name }) => name === schedule);
  if (schedule === undefined && schedules.length > 1)
    throw new Refusal('not-accepted', said('backfill.whichSchedule', { names }));
  if (schedule !== undefined && !found)
    throw new Refusal(
      'not-accepted',
      said('backfill.unknownSchedule', { name: schedule, hint: hintFor(schedule, names) }),
    );
  return found;
}
