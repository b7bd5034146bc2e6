/**
 * The store's time on a node: the node's clock plus its offset to the store's, measured by each beat. Trusted
 * or not:
 *
 * unmeasured -> (trusted | doubtful) by the first beat; trusted -> doubtful when the clock jumps or is too
 * far off;
 * doubtful -> trusted when two beats in a row agree. While doubtful, nothing may fire by it.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';

/** Tolerances of the clock, in milliseconds. */
export interface StoreClockOptions {
  /** An offset above this is doubted until two beats agree on it. */
  readonly maxSkew: number;
  /** A jump of either clock above this is doubted too. */
  readonly maxJump: number;
  /** Two beats agree if their offsets differ by at most this much plus their time on the wire. */
  readonly tolerance: number;
}

const defaults: StoreClockOptions = { maxSkew: 5_000, maxJump: 2_000, tolerance: 100 };

/** One moment on both clocks of the machine. */
interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

const UNMEASURED = 'its distance from the clock of the store is not measured yet';

/** The clock that masters and APIs act on. Timers and monotonic time are the machine's. */
export class StoreClock implements Clock {
  private readonly clock: Clock;
  private readonly options: StoreClockOptions;
  private readonly isMeasured: boolean;
  private shift = 0;
  private fault: string | undefined = UNMEASURED;
  /** When the last beat was answered: both clocks must have advanced equally since then. */
  private last: Moment | undefined;
  /** The last beat's offset, if doubted. */
  private doubted: number | undefined;

  constructor(clock: Clock, options: Partial<StoreClockOptions> = {}, isMeasured = true) {
    this.clock = clock;
    const {
      maxSkew = defaults.maxSkew,
      maxJump = defaults.maxJump,
      tolerance = defaults.tolerance,
    } = options;
    this.options = { maxSkew, maxJump, tolerance };
    this.isMeasured = isMeasured;
    if (!isMeasured) this.fault = undefined;
  }

  /** A clock that is trusted as it is, for tests whose store has its own time. */
  static unmeasured(clock: Clock): StoreClock {
    return new StoreClock(clock, {}, false);
  }

  /** Why nothing may fire now; undefined while the clock is trusted. */
  get doubt(): string | undefined {
    return this.fault ?? (this.isMeasured ? this.jumped() : undefined);
  }

  get trusted(): boolean {
    return this.doubt === undefined;
  }

  /** Milliseconds added to the machine's clock. */
  get offset(): number {
    return Math.round(this.shift);
  }

  /** Both clocks of the machine, to pass to `learn` when the beat is answered. */
  moment(): Moment {
    return { wall: this.clock.now(), monotonic: this.clock.monotonic() };
  }

  /**
   * The store's time in whole milliseconds, the store's resolution. After a jump of the machine's clock, time
   * continues from the last beat until the next one.
   */
  now(): number {
    const { last, shift } = this;
    if (!last || this.jumped() === undefined) return Math.round(this.clock.now() + shift);
    return Math.round(last.wall + shift + (this.clock.monotonic() - last.monotonic));
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimer(delayMs: number, run: () => void): ClockTimer {
    return this.clock.setTimer(delayMs, run);
  }

  /**
   * Learns from a beat: the store's clock showed `storeTime` between the two moments. The current offset is
   * kept if it explains this, so a machine with the right time keeps 0 however slow its beats are.
   */
  learn(sentAt: Moment, answeredAt: Moment, storeTime: number): void {
    if (!this.isMeasured) return;
    const { maxSkew, maxJump, tolerance } = this.options;
    const jump = this.jumpBetween(sentAt, answeredAt) ?? this.jumped(sentAt);
    // By the monotonic clock: if the wall clock was set meanwhile, only its last reading counts.
    const onTheWay = Math.max(0, answeredAt.monotonic - sentAt.monotonic);
    const low = storeTime - answeredAt.wall;
    const high = low + onTheWay;
    const isFirst = this.last === undefined;
    const before = this.shift;
    // The store's clock is read in whole milliseconds, rounded down.
    const explains = before >= low - 1 && before <= high + 1;
    if (!explains) this.shift = (low + high) / 2;
    this.last = answeredAt;
    const moved = Math.abs(this.shift - before);
    if (this.doubted !== undefined) {
      const agrees = this.doubted >= low - tolerance && this.doubted <= high + tolerance;
      this.doubted = agrees && !jump ? undefined : this.shift;
      if (this.doubted === undefined) this.fault = undefined;
      return;
    }
    if (jump) this.doubtOf(jump);
    else if (!isFirst && moved > maxJump)
      this.doubtOf(`it or the clock of the store jumped by ${Math.round(moved)} ms`);
    else if (Math.abs(this.shift) > maxSkew && Math.abs(before) <= maxSkew)
      this.doubtOf(
        `it is ${Math.round(Math.abs(this.shift))} ms ${this.shift < 0 ? 'ahead of' : 'behind'} the store`,
      );
    else this.fault = undefined;
  }

  private doubtOf(fault: string): void {
    this.fault = fault;
    this.doubted = this.shift;
  }

  /** How the machine's clock jumped since the last beat. */
  private jumped(now: Moment = this.moment()): string | undefined {
    return this.last && this.jumpBetween(this.last, now);
  }

  private jumpBetween(from: Moment, to: Moment): string | undefined {
    const step = to.wall - from.wall - (to.monotonic - from.monotonic);
    if (Math.abs(step) <= this.options.maxJump) return undefined;
    return `it was set ${step < 0 ? 'back' : 'forward'} by ${Math.round(Math.abs(step))} ms, or the machine slept`;
  }
}
