/**
 * The clock every part takes as an argument: wall time, monotonic time and one-shot timers.
 * Code that reads time only through it runs the same on a real host and in simulation.
 */
import { InvalidInput } from '../errors.ts';

/** A sleep that has been set; cancelling one that has run or was cancelled does nothing. */
export interface ClockTimer {
  cancel(): void;
}

/** Where time comes from. Compare due times with `now`; measure durations with `monotonic`. */
export interface Clock {
  /** Epoch milliseconds, as the wall clock shows them: may step forward or back at any moment. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /** Calls `run` once, when at least `delayMs` have passed on the monotonic clock. */
  setTimer(delayMs: number, run: () => void): ClockTimer;
}

/** What a host lends to `realClock`. Each function is called bare, so wrap one that needs its `this`. */
export interface HostTime<Handle> {
  now: () => number;
  monotonic: () => number;
  setTimeout: (run: () => void, delayMs: number) => Handle;
  clearTimeout: (handle: Handle) => void;
}

/** The longest delay a host takes; beyond it Node and browsers fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The clock of a real host. Its timers may be of any length, and are never early: a host that wakes
 * too soon, by rounding or because the delay had to be cut, is asked to sleep for the rest.
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

/** A delay as every clock accepts it: finite; below 1 ms counts as 1 ms, as Node has it. */
export function timerDelay(delayMs: number): number {
  if (!Number.isFinite(delayMs))
    throw new InvalidInput(`timer delay ${delayMs} is not a finite number of ms`);
  return Math.max(1, delayMs);
}
