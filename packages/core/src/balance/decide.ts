/**
 * What a master that claims schedules decides by itself, from the numbers it sees now: whether to take one
 * more, whether to raise the alarm, whether to give one back.
 */
import { type ClaimView, limitOf, masterOf } from './limit.ts';

/** Yes or no, and the reason in words for whoever asks why. */
export interface Verdict {
  readonly yes: boolean;
  readonly reason: string;
}

/** Whether the master may claim one more: not when offline, not when it holds its limit or more. */
export function shouldClaim(view: ClaimView, name: string): Verdict {
  const { held, offline } = masterOf(view, name);
  if (offline) return { yes: false, reason: `${name} is offline` };
  const limit = limitOf(view, name);
  return { yes: held < limit, reason: `${name} holds ${held} of at most ${limit}` };
}

/** Whether the master holds more than its alarm threshold. To be asked right after a claim, not at other times. */
export function shouldAlarm(view: ClaimView, name: string): Verdict {
  const { held, alarmAbove } = masterOf(view, name);
  return { yes: held > alarmAbove, reason: `${name} holds ${held}, the alarm is above ${alarmAbove}` };
}

/**
 * Whether the master gives back a schedule whose run has just ended: when it is offline, or holds more than
 * its limit and another one may take it and would still be loaded less. So nothing is given back to nobody,
 * and nothing moves between masters that differ by one: every such move lowers the sum of what is held above
 * the limits, which cannot go on for ever.
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
