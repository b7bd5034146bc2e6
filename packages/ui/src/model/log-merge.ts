/**
 * Merges the logs of several shards by the times in their lines. The order within a shard never changes: a
 * line without a time, or with an earlier one than the line above, stays with that line.
 */
import { isOwnLine } from './log-line.ts';
import { timeOf } from './log-time.ts';

/** Lines of a shard in a row; `firstLine` is the number of the first of them. */
export interface ShardLines {
  readonly shard: number;
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** A line of them all. */
export interface MergedLine {
  readonly shard: number;
  /** Counted from 1. */
  readonly number: number;
  readonly line: string;
}

/** The lines by time; undefined where fewer than half of what was printed carry one. */
export function mergedByTime(logs: readonly ShardLines[]): readonly MergedLine[] | undefined {
  const printed = logs.flatMap(({ lines }) => lines.filter((line) => !isOwnLine(line)));
  const timed = printed.filter((line) => timeOf(line) !== undefined).length;
  if (timed === 0 || timed * 2 < printed.length) return undefined;
  return logs
    .flatMap(({ shard, firstLine, lines }) => {
      const times = timesOf(lines);
      return lines.map((line, i) => ({ shard, number: firstLine + i, line, time: times[i] }));
    })
    .sort((a, b) => a.time - b.time)
    .map(({ shard, number, line }) => ({ shard, number, line }));
}

/** The worker's lines use their own clock and zone: they count only if the task's lines have no times. */
function timesOf(lines: readonly string[]): readonly number[] {
  const said = lines.map((line) => (isOwnLine(line) ? undefined : timeOf(line)));
  const own = lines.map((line) => (isOwnLine(line) ? timeOf(line.replace('[orrery] ', '')) : undefined));
  const known = said.some((time) => time !== undefined) ? said : own;
  let latest = known.find((time) => time !== undefined) ?? 0;
  return known.map((time) => {
    latest = Math.max(latest, time ?? latest);
    return latest;
  });
}
