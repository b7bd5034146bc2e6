/**
 * Wakes a job at its ticks. Uses one timer at a time of at most a minute, so that a changed clock or a
 * suspended machine is noticed. Ticks that passed meanwhile are reported as one, with their count. If the
 * clock is set back by more than a minute, the timer follows it: a clock that was far ahead must not silence
 * the job until then.
 */
import { nextTick, parseCron, type Timing, ticksBetween, zone } from '@orrery/core/time';
import type { Clock, ClockTimer } from '@orrery/core/timing';

/** A tick that has come: the last due time, and how many ticks came due since the one before. */
export interface Tick {
  readonly due: number;
  readonly count: number;
}

const LONGEST_SLEEP = 60_000;
/** A clock that is set back by less tells no tick twice. */
const SET_BACK = 60_000;
/** More ticks than that are not counted one by one. */
const MOST_COUNTED = 1_000;

export class CronTimer {
  private readonly clock: Clock;
  private readonly onTick: (tick: Tick) => void;
  private timing: Timing | undefined;
  private timer: ClockTimer | undefined;
  /** Ticks up to this instant were reported. */
  private toldUntil = 0;

  constructor(clock: Clock, onTick: (tick: Tick) => void) {
    this.clock = clock;
    this.onTick = onTick;
  }

  /** Follows a cron from now on, or from an earlier instant; or none. */
  follow(cron: string | undefined, timezone: string, since = this.clock.now()): void {
    this.timing = cron === undefined ? undefined : { cron: parseCron(cron), zone: zone(timezone) };
    this.toldUntil = since;
    this.arm();
  }

  /** The next due time. */
  get next(): number | undefined {
    return this.timing && nextTick(this.timing, Math.max(this.toldUntil, this.clock.now()));
  }

  stop(): void {
    this.timing = undefined;
    this.timer?.cancel();
  }

  private arm(): void {
    this.timer?.cancel();
    const due = this.timing && nextTick(this.timing, this.toldUntil);
    if (due === undefined) return;
    const wait = Math.min(due - this.clock.now(), LONGEST_SLEEP);
    this.timer = this.clock.setTimer(Math.max(0, wait), () => this.wake());
  }

  private wake(): void {
    if (!this.timing) return;
    const now = this.clock.now();
    if (this.toldUntil - now > SET_BACK) this.toldUntil = now;
    const ticks = ticksBetween(this.timing, this.toldUntil, now, MOST_COUNTED);
    const due = ticks.at(-1);
    if (due !== undefined) {
      this.toldUntil = ticks.length === MOST_COUNTED ? now : due;
      this.onTick({ due, count: ticks.length });
    }
    this.arm();
  }
}
