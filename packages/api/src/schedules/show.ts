/** Schedules as the API shows them. */

import type { Answer } from '@orrery/contract';
import { timingOf } from '@orrery/core/model';
import { said } from '@orrery/core/texts';
import { leftOutTicks, ticksBetween } from '@orrery/core/time';
import type { NamedSchedule } from '@orrery/store';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { optionalTime, timeText } from '../time.ts';
import { action } from '../workflows/actions.ts';

/** A due time this far in the past was missed by its master. */
const LATE_AFTER = 10_000;

/** Due times that are shown ahead. */
const SHOWN_TICKS = 5;

/** Due times that a calendar leaves out before those; where none is left, of how long. */
const SHOWN_LEFT_OUT = 10;
const YEAR = 366 * 86_400_000;

/** Finds a schedule; an unknown one is refused. */
export async function findSchedule({ store }: Context, id: number): Promise<NamedSchedule> {
  const found = await store.readSchedule({ id });
  if (!found) throw new Refusal('not-found', said('none.schedule', { id }));
  return found;
}

/** A schedule; `fires` decides whether its next due times are shown. */
export function showSchedule(
  schedule: NamedSchedule,
  now: number,
  fires = schedule.enabled,
): Answer<'showSchedule'> {
  const { id, project, workflowName, name, spec, enabled, version, firedUntil, nextDue } = schedule;
  const { cron, every, timezone } = spec;
  const timing = timingOf(spec);
  const ahead = fires ? ticksBetween(timing, now, Number.MAX_SAFE_INTEGER, SHOWN_TICKS) : [];
  const leftOut = fires ? leftOutTicks(timing, now, ahead.at(-1) ?? now + YEAR, SHOWN_LEFT_OUT) : [];
  return {
    id,
    project,
    workflow: workflowName,
    name,
    cron,
    every,
    timezone,
    from: optionalTime(spec.from),
    until: optionalTime(spec.until),
    misfire: spec.misfire,
    exclude: spec.exclude,
    calendar: spec.calendar,
    params: spec.params,
    state: enabled ? 'on' : 'paused',
    version,
    nextDue: optionalTime(nextDue),
    nextTicks: ahead.map(timeText),
    leftOut: leftOut.map(timeText),
    late: enabled && nextDue !== null && now - nextDue >= LATE_AFTER ? timeText(nextDue) : null,
    firedUntil: timeText(firedUntil),
    actions: [
      action('pause', enabled ? undefined : said('schedule.paused')),
      action('resume', enabled ? said('schedule.notPaused') : undefined),
    ],
  };
}
