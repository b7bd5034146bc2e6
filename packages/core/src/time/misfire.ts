/**
 * Misfires: ticks that came due while nobody fired them. A tick at most `threshold` late is simply fired
 * late; a later one is missed, and the policy decides. Every tick is fired or counted in a skip, exactly once
 * and in order, however often and whenever `catchUp` is called.
 */
import { InvalidInput } from '../errors.ts';
import type { MisfirePolicy } from '../model/glossary.ts';
import { nextTick, previousTick, type Timing, ticksBetween } from './schedule.ts';

/** Consecutive ticks that do not fire: first and last due time, count, and reason. */
export interface Skip {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** `missed`: later than the threshold. `replaced`: a later missed tick fires instead. */
  readonly reason: 'missed' | 'replaced';
}

/** Input of `catchUp`. */
export interface CatchUpRequest {
  readonly timing: Timing;
  readonly policy: MisfirePolicy;
  /** Milliseconds that a tick may be late without being missed. */
  readonly threshold: number;
  /** The last handled tick, or the instant from which ticks count. */
  readonly firedUntil: number;
  readonly now: number;
  /** Limit of ticks to fire in one call, at least 1. */
  readonly limit: number;
  /**
   * The skip returned by the previous call if it said `more`: it is extended instead of starting a second
   * one.
   */
  readonly open?: Skip;
}

/** One page of catching up: first record `skipped`, then fire `fire`, then store `firedUntil`. */
export interface CatchUp {
  readonly skipped?: Skip;
  readonly fire: readonly number[];
  readonly firedUntil: number;
  /** More ticks are already due: call again with the new `firedUntil`. */
  readonly more: boolean;
}

/** Limit of ticks counted into a skip in one call: a millisecond or two of work. */
const COUNTED_A_CALL = 10_000;

/** Decides about the ticks due after `firedUntil` up to `now`, one bounded page at a time. */
export function catchUp(request: CatchUpRequest): CatchUp {
  const { timing, policy, now, limit } = request;
  if (!(limit >= 1)) throw new InvalidInput(`limit ${limit} of ticks to fire at once; accepted is 1 or more`);
  const skipUntil = lastToSkip(request);
  let position = request.firedUntil;
  let skipped: Skip | undefined;
  let tick = nextTick(timing, position);
  if (tick !== undefined && tick <= skipUntil) {
    const from = tick;
    let count = 0;
    while (tick !== undefined && tick <= skipUntil && count < COUNTED_A_CALL) {
      position = tick;
      count++;
      tick = nextTick(timing, position);
    }
    const reason = policy === 'skip' ? 'missed' : 'replaced';
    skipped = grown(request, { from, to: position, count, reason });
    if (tick !== undefined && tick <= skipUntil)
      return { skipped, fire: [], firedUntil: position, more: true };
  }
  const fire = ticksBetween(timing, position, now, limit);
  const firedUntil = fire.at(-1) ?? position;
  const rest = fire.length < limit ? undefined : nextTick(timing, firedUntil);
  return { skipped, fire, firedUntil, more: rest !== undefined && rest <= now };
}

/** Ticks up to this instant do not fire. */
function lastToSkip({ timing, policy, threshold, now }: CatchUpRequest): number {
  const missed = policy === 'fire-all' ? undefined : previousTick(timing, now - threshold);
  if (missed === undefined) return Number.NEGATIVE_INFINITY;
  return policy === 'skip' ? missed : missed - 1;
}

/** Extends the previous call's open skip with this one if they belong together. */
function grown({ open, firedUntil }: CatchUpRequest, skip: Skip): Skip {
  if (!open || open.to !== firedUntil || open.reason !== skip.reason) return skip;
  return { ...skip, from: open.from, count: open.count + skip.count };
}
