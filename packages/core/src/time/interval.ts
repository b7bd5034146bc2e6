/**
 * Fixed intervals: a tick every given number of milliseconds from a start instant, which is itself the first
 * tick. Each tick is computed from the start, so nothing drifts, and neither zone nor daylight saving
 * matters.
 */
import { InvalidInput } from '../errors.ts';

/** Ticks at `start`, `start + every`, `start + 2 x every`… */
export interface Interval {
  readonly every: number;
  readonly start: number;
}

/** Makes an interval of whole milliseconds; refuses a length that is not positive or not whole. */
export function interval(every: number, start: number): Interval {
  if (!Number.isSafeInteger(every) || every < 1) {
    throw new InvalidInput(`interval of ${every} ms; accepted is a whole number of milliseconds from 1 on`);
  }
  if (!Number.isSafeInteger(start)) {
    throw new InvalidInput(`interval start ${start}; accepted is an instant in whole epoch milliseconds`);
  }
  return { every, start };
}

/** The first tick strictly after an instant. */
export function intervalNext({ every, start }: Interval, after: number): number {
  return after < start ? start : start + (Math.floor((after - start) / every) + 1) * every;
}

/** The last tick strictly before an instant; undefined at or before the start. */
export function intervalPrevious({ every, start }: Interval, before: number): number | undefined {
  return before > start ? start + (Math.ceil((before - start) / every) - 1) * every : undefined;
}
