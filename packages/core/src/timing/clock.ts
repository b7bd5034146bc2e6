/**
 * The clock that every part takes as an argument: wall time, monotonic time and one-shot timers. Code that
 * reads time only through it runs the same on a real host and in simulation.
 */
import { InvalidInput } from '../errors.ts';

/** A timer that was set; cancelling one that has run or was cancelled does nothing. */
export interface ClockTimer {
  cancel(): void;
}

/** Source of time. Compare due times with `now`; measure durations with `monotonic`. */
export interface Clock {
  /** Epoch milliseconds by the wall clock, which may step forward or back at any moment. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /** Calls `run` once, when at least `delayMs` have passed on the monotonic clock. */
  setTimer(delayMs: number, run: () => void): ClockTimer;
}

/** Host functions for `realClock`. Each is called without `this`, so wrap one that needs it. */
export interface HostTime<Handle> {
  now: () => number;
  monotonic: () => number;
  setTimeout: (run: () => void, delayMs: number) => Handle;
  clearTimeout: (handle: Handle) => void;
}

/** The host's longest delay; with a longer one, Node and browsers fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The clock of a real host. Its timers may have any length and are never early: if the host wakes too soon,
 * by rounding or because the delay was cut, the clock sleeps for the rest.
 */
export function realClock<Handle>(host: HostTime<Handle>): Clock {
  const { now, monotonic, setTimeout: startTimeout, clearTimeout: stopTimeout } = host;
  return {
    now,
    monotonic,
    setTimer(delayMs, run) {
      const delay = timerDelay(delayMs);
      const end = monotonic() + delay;
      let handle: Handle;
      const sleep = (rest: number): void => {
        handle = startTimeout(wake, Math.min(Math.ceil(rest), LONGEST_TIMEOUT));
      };
      const wake = (): void => {
        const rest = end - monotonic();
        if (rest > 0) sleep(rest);
        else run();
      };
      sleep(delay);
      return { cancel: () => stopTimeout(handle) };
    },
  };
}

/** A valid delay for every clock: finite, and at least 1 ms, as in Node. */
export function timerDelay(delayMs: number): number {
  if (!Number.isFinite(delayMs))
    throw new InvalidInput(`timer delay ${delayMs} is not a finite number of ms`);
  return Math.max(1, delayMs);
}
