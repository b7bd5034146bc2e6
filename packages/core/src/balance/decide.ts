/**
 * Decisions of a claiming master from the numbers it sees now: whether to take one more schedule, raise the
 * alarm, or give one back.
 */
import { type ClaimView, limitOf, masterOf } from './limit.ts';

/** A yes or no with a reason in words. */
export interface Verdict {
  readonly yes: boolean;
  readonly reason: string;
}

/** Whether the master may claim one more: not while offline, nor at or above its limit. */
export function shouldClaim(view: ClaimView, name: string): Verdict {
  const { held, offline } = masterOf(view, name);
  if (offline) return { yes: false, reason: `${name} is offline` };
  const limit = limitOf(view, name);
  return { yes: held < limit, reason: `${name} holds ${held} of at most ${limit}` };
}

/** Whether the master holds more than its alarm threshold. Call it only right after a claim. */
export function shouldAlarm(view: ClaimView, name: string): Verdict {
  const { held, alarmAbove } = masterOf(view, name);
  return { yes: held > alarmAbove, reason: `${name} holds ${held}, the alarm is above ${alarmAbove}` };
}

/**
 * Whether the master gives back a schedule whose run has just ended. It must be offline, or above its limit
 * while another master may take the schedule and would still be less loaded. So every schedule given back has
 * a taker, and none moves between masters that differ by one: each move lowers the sum of holdings above the
 * limits, which cannot go on forever.
 */
export function shouldShed(view: ClaimView, name: string): Verdict {
  const { held, offline, weight = 1 } = masterOf(view, name);
  if (offline) return { yes: held > 0, reason: `${name} is offline` };
  const limit = limitOf(view, name);
  if (held <= limit) return { yes: false, reason: `${name} holds ${held} of at most ${limit}` };
  // Never the master itself: it holds more than its limit.
  const taker = view.masters.find(
    (other) => shouldClaim(view, other.name).yes && (other.held + 1) * weight < held * (other.weight ?? 1),
  );
  if (!taker)
    return { yes: false, reason: `${name} holds ${held} of at most ${limit}, nobody is less loaded` };
  return { yes: true, reason: `${name} holds ${held} of at most ${limit}, ${taker.name} has room` };
}
