/** Prepares ticks before their due time, so that only the store has work at that instant. */

import { type ScheduleSpec, timingOf } from '@orrery/core/model';
import { english, said } from '@orrery/core/texts';
import { catchUp, nextTick, type Timing } from '@orrery/core/time';
import {
  type FiringSchedule,
  type ScheduleTicks,
  type StartingWorkflow,
  startCommand,
  startRow,
} from '@orrery/store';

/** Limit of ticks of one schedule fired at once. */
const CATCH_UP = 100;

/** The workflow version that ticks start. */
export interface LiveVersion {
  readonly id: number;
  readonly version: number;
  readonly workflow: StartingWorkflow;
}

/** The fields of a schedule that firing needs. */
type TickingSchedule = Pick<FiringSchedule, 'id' | 'version' | 'spec' | 'offline'>;

/** A schedule ready to fire. */
export interface PreparedTick {
  readonly schedule: TickingSchedule;
  readonly timing: Timing;
  readonly live: LiveVersion;
  readonly seen: number;
  readonly due: number;
  /** What fires if only this tick is due. If more are due, the ticks are computed at that time. */
  readonly ticks: ScheduleTicks;
}

/** Prepares the next tick of a schedule after `seen`; undefined if there is none. */
export function prepareTick(
  schedule: TickingSchedule,
  timing: Timing,
  live: LiveVersion,
  seen: number,
): PreparedTick | undefined {
  const due = nextTick(timing, seen);
  if (due === undefined) return undefined;
  const ticks: ScheduleTicks = {
    schedule: schedule.id,
    workflow: live.id,
    version: schedule.version,
    seen,
    firedUntil: due,
    nextDue: nextTick(timing, due) ?? null,
    live: live.version,
    ticks: schedule.offline ? [] : [tickOf(schedule.spec, live, due)],
    ...(schedule.offline && { skipped: { from: due, to: due, count: 1, reason: OFFLINE } }),
  };
  return { schedule, timing, live, seen, due, ticks };
}

/** Reads the timing of a schedule. Throws if it is invalid. */
export function readTiming(schedule: FiringSchedule): Timing {
  return timingOf(schedule.spec);
}

/** When a schedule is due next. The stored time may come from a node whose clock was ahead. */
export function dueOf(schedule: FiringSchedule): number | undefined {
  if (schedule.nextDue === null) return undefined;
  try {
    return Math.min(
      schedule.nextDue,
      nextTick(readTiming(schedule), schedule.firedUntil) ?? schedule.nextDue,
    );
  } catch {
    // Preparation reports the error.
    return schedule.nextDue;
  }
}

/**
 * The ticks of a prepared schedule at a time, one page if many were missed; `outage` returns why ticks in a
 * time range were missed.
 */
export function ticksAt(
  { schedule, timing, live, seen, due, ticks }: PreparedTick,
  now: number,
  outage: (from: number, to: number) => string | undefined = () => undefined,
): ScheduleTicks {
  const { spec } = schedule;
  const { policy, threshold } = spec.misfire;
  const isNextDue = ticks.nextDue !== null && ticks.nextDue <= now;
  if (due <= now && !isNextDue && due >= now - threshold) return ticks;
  const page = catchUp({ timing, policy, threshold, firedUntil: seen, now, limit: CATCH_UP });
  if (schedule.offline) return skipAll(ticks, timing, page);
  return {
    ...ticks,
    firedUntil: page.firedUntil,
    nextDue: nextTick(timing, page.firedUntil) ?? null,
    ticks: page.fire.map((due) => tickOf(spec, live, due)),
    skipped: page.skipped && {
      ...page.skipped,
      reason: withOutage(skipReason(spec, page.skipped.reason), outage(page.skipped.from, page.skipped.to)),
    },
  };
}

const OFFLINE = english(said('skip.offline'));

/** The same page with nothing to fire: the workflow was offline at these ticks. */
function skipAll(
  ticks: ScheduleTicks,
  timing: Timing,
  { fire, skipped, firedUntil }: ReturnType<typeof catchUp>,
): ScheduleTicks {
  const count = fire.length + (skipped?.count ?? 0);
  const from = Math.min(...fire.slice(0, 1), skipped?.from ?? Number.POSITIVE_INFINITY);
  const to = Math.max(...fire.slice(-1), skipped?.to ?? 0);
  return {
    ...ticks,
    firedUntil,
    nextDue: nextTick(timing, firedUntil) ?? null,
    ticks: [],
    skipped: count === 0 ? undefined : { from, to, count, reason: OFFLINE },
  };
}

function tickOf(spec: ScheduleSpec, live: LiveVersion, due: number): ScheduleTicks['ticks'][number] {
  const { params, priority, timezone } = spec;
  return {
    due,
    start: startRow(startCommand(live, { trigger: 'tick', businessTime: due, params, priority, timezone })),
  };
}

function withOutage(reason: string, outage: string | undefined): string {
  return outage === undefined ? reason : `${reason}; ${outage}`;
}

function skipReason(spec: ScheduleSpec, reason: 'missed' | 'replaced'): string {
  if (reason === 'replaced') return english(said('skip.replaced'));
  const { threshold, policy } = spec.misfire;
  return english(said('skip.missed', { threshold, policy }));
}
