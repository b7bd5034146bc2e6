/**
 * The last rounds of an instance, kept in its running entry for operators. A collector reads before the
 * window is overwritten, or learns from the numbers how many rounds it missed.
 */
import type { Cause, ShardOutcome } from '../board/board.ts';
import type { EndedRound, RecentRound } from '../board/operator.ts';
import { writeShards } from './shard-set.ts';

/** Rounds that are kept. */
const KEPT = 10;
/** Failures that the newest round lists, and older ones. */
const FAILURES = 20;
const OLD_FAILURES = 3;
/** Characters of a set of failed shards that is kept: thousands that fail here and there would fill the entry. */
const LONG = 2_000;

/** How a round ended, with its first failures. */
export function endedRound(outcomes: readonly ShardOutcome[], now: number): EndedRound {
  const failed = outcomes.filter(({ ok }) => !ok);
  return {
    at: now,
    succeeded: outcomes.length - failed.length,
    failed: failed
      .slice(0, FAILURES)
      .map(({ shard, error }) => ({ shard, error: (error ?? '').slice(0, 200) })),
  };
}

export class RecentRounds {
  /** The newest last. */
  list: readonly RecentRound[] = [];
  private storedUpTo = 0;

  /** The number of the newest. */
  get newest(): number {
    return this.list.at(-1)?.number ?? 0;
  }

  add(
    outcomes: readonly ShardOutcome[],
    { cause, due }: { readonly cause: Cause; readonly due?: number },
    now: number,
  ): void {
    const ended = endedRound(outcomes, now);
    const failedShards = writeShards(outcomes.filter(({ ok }) => !ok).map(({ shard }) => shard));
    const round: RecentRound = {
      ...ended,
      number: this.newest + 1,
      cause,
      due,
      startedAt: outcomes.reduce((first, { startedAt }) => Math.min(first, startedAt), now),
      shards: writeShards(outcomes.map(({ shard }) => shard)),
      failures: outcomes.length - ended.succeeded,
      failedShards: failedShards.length > LONG ? undefined : failedShards,
    };
    const older = this.list.map((one) => ({ ...one, failed: one.failed.slice(0, OLD_FAILURES) }));
    this.list = [...older, round].slice(-KEPT);
  }

  /** Rounds up to this number are in the registry. */
  stored(number: number): void {
    this.storedUpTo = Math.max(this.storedUpTo, number);
  }

  /** The instance has a new id: its rounds count from 1, and begin with those that the old one could not store. */
  startOver(): void {
    this.list = this.list
      .filter(({ number }) => number > this.storedUpTo)
      .map((round, i) => ({ ...round, number: i + 1 }));
    this.storedUpTo = 0;
  }
}
