/** Schedules as the API shows them. */
import type { Answer } from '@orrery/core/contract';
import { timingOf } from '@orrery/core/model';
import { ticksBetween } from '@orrery/core/time';
import type { NamedSchedule } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';
import { action } from '../workflows/actions.ts';

/** A due time that is past by this much was missed by whoever should have fired it. */
const LATE_AFTER = 10_000;

/** Due times that are shown ahead. */
const SHOWN_TICKS = 5;

/** Finds a schedule; an unknown one is refused. */
export async function findSchedule({ store }: Context, id: number): Promise<NamedSchedule> {
  const found = await store.readSchedule({ id });
  if (!found) throw new Refusal('not-found', `there is no schedule ${id}`);
  return found;
}

/** A schedule. */
export function showSchedule(schedule: NamedSchedule, now: number): Answer<'showSchedule'> {
  const { id, project, workflowName, name, spec, enabled, version, firedUntil, nextDue } = schedule;
  const { cron, every, timezone } = spec;
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
    params: spec.params,
    state: enabled ? 'on' : 'paused',
    version,
    nextDue: optionalTime(nextDue),
    nextTicks: enabled
      ? ticksBetween(timingOf(spec), now, Number.MAX_SAFE_INTEGER, SHOWN_TICKS).map(timeText)
      : [],
    late: enabled && nextDue !== null && now - nextDue >= LATE_AFTER ? timeText(nextDue) : null,
    firedUntil: timeText(firedUntil),
    actions: [
      action('pause', enabled ? undefined : 'it is paused'),
      action('resume', enabled ? 'it is not paused' : undefined),
    ],
  };
}
