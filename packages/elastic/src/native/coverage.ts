/**
 * Which tick each shard has run last. Every instance keeps the coverage of its own rounds; a division collects all of
 * it in the assignment. An instance that gains a shard thus knows whether a tick was run before the move.
 */
import type { Job } from '@orrery/core/model';
import { parseCron, previousTick, zone } from '@orrery/core/time';
import { readShards, writeShards } from './shard-set.ts';

/** Shards by the due time of the last tick they ran, as stored. */
export type StoredCoverage = Readonly<Record<string, string>>;

/** The due time of the last tick of each shard. */
export type Coverage = ReadonlyMap<number, number>;

export function readCoverage(stored: StoredCoverage = {}): Coverage {
  return new Map(
    Object.entries(stored).flatMap(([due, shards]) =>
      readShards(shards).map((shard): [number, number] => [shard, Number(due)]),
    ),
  );
}

export function writeCoverage(coverage: Coverage): StoredCoverage {
  const byDue = Map.groupBy(coverage.keys(), (shard) => coverage.get(shard) ?? 0);
  return Object.fromEntries([...byDue].map(([due, shards]) => [String(due), writeShards(shards)]));
}

/** The latest tick of each shard. */
export function mergeCoverage(all: Iterable<Coverage>): Map<number, number> {
  const merged = new Map<number, number>();
  for (const coverage of all)
    for (const [shard, due] of coverage) merged.set(shard, Math.max(due, merged.get(shard) ?? due));
  return merged;
}

/** The coverage after these shards have run a tick; also an earlier one, of a clock that was set back. */
export function covered(coverage: Coverage, shards: readonly number[], due: number): Coverage {
  return new Map([...coverage, ...shards.map((shard): [number, number] => [shard, due])]);
}

/** Ticks further ahead than that were run by a wrong clock. */
const AHEAD = 60_000;

/** Whether a shard has run this tick or a later one that can have come. */
export function isCovered(coverage: Coverage, shard: number, due: number, now: number): boolean {
  const last = coverage.get(shard);
  return last !== undefined && last >= due && !isAhead(last, now);
}

/** Whether a tick was run by a clock that is wrong. */
export function isAhead(due: number, now: number): boolean {
  return due > now + AHEAD;
}

/** The last tick of a job that came after `since`, up to `now`. */
export function lastTick({ cron, timezone }: Job, since: number, now: number): number | undefined {
  if (cron === undefined) return undefined;
  const tick = previousTick({ cron: parseCron(cron), zone: zone(timezone) }, now + 1);
  return tick !== undefined && tick > since ? tick : undefined;
}
