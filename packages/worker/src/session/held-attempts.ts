/**
 * The attempts a worker holds: given to it and not yet ended. At most `slots` run at once, plus waiting
 * attempts, of which at most 100 take no slot.
 * States of one: waiting (for a slot) -> running -> stopping -> ended, which it leaves with a report.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { type Assignment, type AttemptId, attemptText, type Report } from '@orrery/wire/frames';
import type { Executor, Running, StopCause } from './executor.ts';
import { stoppedOutcome } from './stopped-outcome.ts';

interface Held {
  readonly assignment: Assignment;
  /** The epoch in which it was given and is reported. */
  readonly epoch: number;
  /** Whether it takes no slot. */
  readonly isWait: boolean;
  running?: Running;
  /** Whether it has started something elsewhere that outlives it. */
  handle?: boolean;
  timer?: ClockTimer;
  stopped?: StopCause;
}

const MOST_WAITS = 100;

/** Options of the held attempts. */
export interface HeldOptions {
  readonly worker: string;
  readonly slots: number;
  readonly clock: Clock;
  readonly executor: Executor;
  readonly leaseHolds: () => boolean;
  readonly onEnded: (epoch: number, report: Report) => void;
  /** Stores the handle of an attempt. */
  readonly keep: (epoch: number, attempt: AttemptId, handle: string) => Promise<boolean>;
}

/** One for each session. */
export class HeldAttempts {
  private readonly options: HeldOptions;
  private readonly held = new Map<string, Held>();
  private waiting: string[] = [];
  /** How many of them run in slots. */
  private running = 0;
  private waits = 0;
  private starting = false;
  /** When an attempt last began or ended, by the monotonic clock. */
  private progressedAt: number;

  constructor(options: HeldOptions) {
    this.options = options;
    this.progressedAt = options.clock.monotonic();
  }

  /** Milliseconds since an attempt last began or ended. */
  get idle(): number {
    return Math.round(this.options.clock.monotonic() - this.progressedAt);
  }

  get size(): number {
    return this.held.size;
  }

  /** How many of them take no slot. */
  get withoutSlot(): number {
    return this.waits;
  }

  has(attempt: AttemptId): boolean {
    return this.held.has(attemptText(attempt));
  }

  ids(): AttemptId[] {
    return [...this.held.values()].map(({ assignment }) => assignment.attempt);
  }

  /** Adds an attempt. Its time limit counts from here, including the wait for a slot. */
  add(assignment: Assignment, epoch: number): void {
    const key = attemptText(assignment.attempt);
    const isWait = this.waits < MOST_WAITS && (this.options.executor.isWait?.(assignment.type) ?? false);
    const held: Held = { assignment, epoch, isWait };
    this.held.set(key, held);
    if (isWait) this.waits++;
    if (assignment.timeout !== undefined)
      held.timer = this.options.clock.setTimer(assignment.timeout, () => this.stopHeld(key, 'timed-out'));
    if (isWait && this.options.leaseHolds()) {
      this.start(key, held);
      return;
    }
    this.waiting.push(key);
    this.startWaiting();
  }

  /** Ends an attempt, if it is held. */
  stop(attempt: AttemptId, cause: StopCause): void {
    this.stopHeld(attemptText(attempt), cause);
  }

  /**
   * Ends attempts that only wait, including for something elsewhere: they lose nothing by moving to another
   * worker.
   */
  stopWaits(cause: StopCause): void {
    for (const [key, { isWait, handle }] of [...this.held]) if (isWait || handle) this.stopHeld(key, cause);
  }

  /** Ends all attempts, or those for which `which` holds. */
  stopAll(cause: StopCause, which: (assignment: Assignment) => boolean = () => true): void {
    for (const [key, { assignment }] of [...this.held]) if (which(assignment)) this.stopHeld(key, cause);
  }

  private start(key: string, held: Held): void {
    if (!held.isWait) this.running++;
    this.progressedAt = this.options.clock.monotonic();
    const ended = (report: Report) => {
      if (!held.isWait) this.running--;
      this.end(key, held, report);
    };
    try {
      held.running = this.options.executor.run(held.assignment, ended, (handle, outlives) => {
        held.handle = handle !== '' && outlives;
        return this.options.keep(held.epoch, held.assignment.attempt, handle);
      });
    } catch (error) {
      // An attempt that fails to start must neither keep its slot nor hold up waiting attempts.
      if (this.held.get(key) !== held) return;
      const { attempt } = held.assignment;
      const now = this.options.clock.now();
      const outcome = {
        state: 'failed',
        error: `it could not be begun: ${(error as Error).message}`,
      } as const;
      ended({ attempt, outcome, startedAt: now, endedAt: now });
      return;
    }
    // An attempt that ended at once is already released. A stop requested during the start is passed on.
    if (held.stopped) held.running.stop(held.stopped);
  }

  private stopHeld(key: string, cause: StopCause): void {
    const held = this.held.get(key);
    if (!held || held.stopped) return;
    held.stopped = cause;
    if (held.running) held.running.stop(cause);
    else if (this.waiting.includes(key)) this.endUnstarted(key, held, cause);
  }

  private endUnstarted(key: string, held: Held, cause: StopCause): void {
    const { clock, worker } = this.options;
    const { attempt } = held.assignment;
    const now = clock.now();
    this.waiting = this.waiting.filter((each) => each !== key);
    this.end(key, held, { attempt, outcome: stoppedOutcome(worker, cause), startedAt: now, endedAt: now });
  }

  private end(key: string, held: Held, report: Report): void {
    held.timer?.cancel();
    this.held.delete(key);
    if (held.isWait) this.waits--;
    this.progressedAt = this.options.clock.monotonic();
    this.options.onEnded(held.epoch, this.asLost(held, report));
    this.startWaiting();
  }

  /**
   * If a worker sees a failure only after its lease has expired, as after a freeze, its keeper caused it: the
   * attempt is lost and did not fail.
   */
  private asLost({ assignment, stopped }: Held, report: Report): Report {
    const { leaseHolds, worker } = this.options;
    const failed = report.outcome.state === 'failed' && !stopped && assignment.onLostContact === 'kill';
    return failed && !leaseHolds() ? { ...report, outcome: stoppedOutcome(worker, 'lost-contact') } : report;
  }

  /**
   * Starts waiting attempts while slots are free; without a lease none is started. Attempts that end at once
   * reenter this function while its loop runs.
   */
  private startWaiting(): void {
    if (this.starting) return;
    this.starting = true;
    while (this.running < this.options.slots && this.waiting.length > 0) {
      const key = this.waiting.shift() as string;
      const held = this.held.get(key);
      if (!held) continue;
      if (this.options.leaseHolds()) this.start(key, held);
      else this.endUnstarted(key, held, 'lost-contact');
    }
    this.starting = false;
  }
}
