/**
 * Compact lists of business times: ranges of equal steps. A backfill is read from the store each time one of
 * its runs ends, so the times of a daily schedule must not cost as much as a full list.
 */

/** `count` times from `start` on, `step` milliseconds apart; a negative step goes back in time. */
export type TimeStretch = readonly [start: number, step: number, count: number];

/** Packs a list of times into ranges, in order. */
export function packTimes(times: readonly number[]): TimeStretch[] {
  const stretches: TimeStretch[] = [];
  for (let i = 0; i < times.length; ) {
    const start = times[i];
    const step = i + 1 < times.length ? times[i + 1] - start : 0;
    let count = 1;
    while (i + count < times.length && times[i + count] - times[i + count - 1] === step) count++;
    stretches.push([start, step, count]);
    i += count;
  }
  return stretches;
}

/** Unpacks the times. */
export function unpackTimes(stretches: readonly TimeStretch[]): number[] {
  return stretches.flatMap(([start, step, count]) =>
    Array.from({ length: count }, (_, k) => start + k * step),
  );
}
