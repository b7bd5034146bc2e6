/**
 * A clock that advances only on request: tests and simulation run hours in a moment, and the same calls
 * always give the same order. Timers run by due time, ties in the order set.
 */
import { InvalidInput } from '../errors.ts';
import { type Clock, type ClockTimer, timerDelay } from './clock.ts';
import { SkipList } from './skip-list.ts';
import { TimerTable } from './timer-table.ts';

/**
 * Controlled time. `advance` passes time on both clocks and runs due timers; `step` moves only the wall
 * clock, as an operator or a time server would. Timers use the monotonic clock, so a step neither runs nor
 * delays one.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerTable<() => void>();
  readonly #order = new SkipList();
  #monotonic = 0;
  #wall: number;

  /** `start` is the initial `now()`, in whole epoch milliseconds. */
  constructor(start = 0) {
    this.#wall = wholeMs(start, 'start');
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(delayMs: number, run: () => void): ClockTimer {
    const due = this.#monotonic + Math.ceil(timerDelay(delayMs));
    const id = this.#timers.add(run);
    const handle = this.#timers.handleOf(id);
    const node = this.#order.insert(due, id);
    return {
      cancel: () => {
        if (this.#timers.find(handle) === undefined) return;
        this.#order.delete(node);
        this.#timers.release(id);
      },
    };
  }

  /** Milliseconds until the next timer, for a driver that jumps from one to the next. */
  untilNext(): number | undefined {
    const due = this.#order.firstScore();
    return due === undefined ? undefined : due - this.#monotonic;
  }

  /**
   * Passes `ms` and runs every timer that falls due, each at its own time, including timers set by earlier
   * ones. An exception of a timer propagates, with the clock at that timer's time.
   */
  advance(ms: number): void {
    const end = this.#monotonic + wholeMs(ms, 'advance');
    while (this.#runNext(end));
    this.#pass(end);
  }

  /** Advances until `now()` shows `time`, which may not lie in the past. */
  advanceTo(time: number): void {
    this.advance(time - this.#wall);
  }

  /**
   * `advance` for asynchronous code: waits for `settle` before the first timer and after each one. Only a
   * host knows when all pending promises have run, so the caller passes `settle`, for example `() => new
   * Promise((resolve) => setImmediate(resolve))`.
   */
  async advanceAsync(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#monotonic + wholeMs(ms, 'advance');
    do await settle();
    while (this.#runNext(end));
    this.#pass(end);
  }

  /** Sets the wall clock forward (`ms` > 0) or back (`ms` < 0); no time passes. */
  step(ms: number): void {
    this.#wall = wholeMs(this.#wall + ms, 'wall clock after the step');
  }

  #runNext(end: number): boolean {
    const due = this.#order.firstScore();
    if (due === undefined || due > end) return false;
    this.#pass(due);
    const id = this.#order.shift() as number;
    this.#timers.release(id)();
    return true;
  }

  /** A timer may itself have advanced the clock past `to`; time never goes back. */
  #pass(to: number): void {
    const ms = Math.max(0, to - this.#monotonic);
    this.#monotonic += ms;
    this.#wall += ms;
  }
}

function wholeMs(ms: number, at: string): number {
  if (!Number.isSafeInteger(ms) || ms < 0)
    throw new InvalidInput(`${ms} is not a whole number of milliseconds, 0 or more`, at);
  return ms;
}
