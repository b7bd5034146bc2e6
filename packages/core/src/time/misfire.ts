/**
 * Misfires: what becomes of ticks that came due while nobody fired them. A tick at most `threshold` late is
 * simply fired late; a later one is missed, and the policy decides. Every tick is fired or counted in a skip,
 * exactly once, in order, however often and whenever `catchUp` is called.
 */
import { InvalidInput } from '../errors.ts';
import type { MisfirePolicy } from '../model/glossary.ts';
import { nextTick, previousTick, type Timing, ticksBetween } from './schedule.ts';

/** Consecutive ticks that do not fire: the first and last due time, how many, and why. */
export interface Skip {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** `missed`: later than the threshold. `replaced`: a later missed tick fires instead. */
  readonly reason: 'missed' | 'replaced';
}

/** What `catchUp` is asked. */
export interface CatchUpRequest {
  readonly timing: Timing;
  readonly policy: MisfirePolicy;
  /** Milliseconds a tick may be late without being missed. */
  readonly threshold: number;
  /** The last tick already dealt with, or the instant from which on ticks count. */
  readonly firedUntil: number;
  readonly now: number;
  /** The most ticks to fire in one call, at least 1. */
  readonly limit: number;
  /** The skip that the call before returned, if it said `more`: it grows instead of a second one being made. */
  readonly open?: Skip;
}

/** One page of catching up: first record `skipped`, then fire `fire`, then keep `firedUntil`. */
export interface CatchUp {
  readonly skipped?: Skip;
  readonly fire: readonly number[];
  readonly firedUntil: number;
  /** More is due already: call again with the new `firedUntil`. */
  readonly more: boolean;
}

/** The most ticks counted into a skip in one call: a millisecond or two of work. */
const COUNTED_A_CALL = 10_000;

/** Decides what to do about the ticks due after `firedUntil` up to `now`, one bounded page at a time. */
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

/** The skip with the open one of the call before in front of it, if they belong together. */
function grown({ open, firedUntil }: CatchUpRequest, skip: Skip): Skip {
  if (!open || open.to !== firedUntil || open.reason !== skip.reason) return skip;
  return { ...skip, from: open.from, count: open.count + skip.count };
}
