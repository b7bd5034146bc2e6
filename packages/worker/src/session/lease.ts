/**
 * A worker's lease: how long it may go on without a confirmed beat.
 * States: none -> held -> expired -> held again, if a later beat is committed after all.
 * It counts from when a beat was sent, by the monotonic clock. A master counts from later, so it never gives
 * a worker up before the worker knows.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';

/** One for each session. */
export class Lease {
  /** Length of the lease in milliseconds, from the last welcome. */
  length = 0;
  private readonly clock: Clock;
  private readonly onExtended: (left: number) => void;
  private readonly onRunOut: () => void;
  private end = 0;
  private state: 'none' | 'held' | 'run out' = 'none';
  private timer: ClockTimer | undefined;
  /** When each beat that may still be committed was sent. */
  private readonly sent = new Map<number, number>();
  /** The last beat that was answered, even if only with "store away". */
  private answered = 0;
  private last = 0;
  /** When the earliest request was sent that the next answer may belong to. */
  private asked = 0;
  /** When each master that reported the store away was asked. */
  private readonly away = new Map<string, number>();

  constructor(clock: Clock, onExtended: (left: number) => void, onRunOut: () => void) {
    this.clock = clock;
    this.onExtended = onExtended;
    this.onRunOut = onRunOut;
  }

  /** Whether the lease holds now. Correct after a freeze even before any timer fires. */
  holds(): boolean {
    if (this.state === 'held' && this.clock.monotonic() >= this.end) this.runOut();
    return this.state === 'held';
  }

  /** A hello leaves on a new connection: requests on the previous one get no answer. */
  helloSent(): void {
    this.sent.clear();
    this.answered = this.last;
    this.asked = this.clock.monotonic();
  }

  /** The worker has joined, which counts as its first committed beat. */
  begin(): void {
    this.away.clear();
    this.extend(this.asked);
  }

  /** A beat is sent. */
  beatSent(beat: number): void {
    const now = this.clock.monotonic();
    if (!this.unanswered) this.asked = now;
    this.last = beat;
    this.sent.set(beat, now);
    for (const [earlier, at] of this.sent) if (at + this.length < now) this.sent.delete(earlier);
  }

  /** Whether a beat was sent that no master has answered. */
  get unanswered(): boolean {
    return this.last > this.answered;
  }

  /** A beat is committed. All earlier beats count as committed too. */
  committed(beat: number): void {
    const from = this.sent.get(beat);
    if (from === undefined) return;
    this.answered = Math.max(this.answered, beat);
    for (const earlier of this.sent.keys()) if (earlier <= beat) this.sent.delete(earlier);
    this.away.clear();
    this.extend(from);
  }

  /**
   * A master reports the store away. Without a store no master can give the worker up, so the lease holds if
   * all masters report so, counted from the earliest request among them. A beat may still be committed: the
   * store may only have been slow.
   */
  storeAway(master: string, masters: readonly string[]): void {
    this.answered = this.last;
    this.away.set(master, this.asked);
    this.extend(Math.min(...masters.map((each) => this.lastAway(each))));
  }

  /** The master whose report of the store away is the oldest or missing. */
  longestUnasked(masters: readonly string[]): string | undefined {
    return masters.toSorted((a, b) => this.lastAway(a) - this.lastAway(b))[0];
  }

  /** Drops the lease without a notification. */
  drop(): void {
    this.state = 'none';
    this.timer?.cancel();
  }

  private lastAway(master: string): number {
    return this.away.get(master) ?? Number.NEGATIVE_INFINITY;
  }

  private extend(from: number): void {
    const end = from + this.length;
    const left = end - this.clock.monotonic();
    if (!(left > 0) || (this.state === 'held' && end <= this.end)) return;
    this.end = end;
    this.state = 'held';
    this.timer?.cancel();
    this.timer = this.clock.setTimer(left, () => this.holds());
    this.onExtended(left);
  }

  private runOut(): void {
    this.state = 'run out';
    this.timer?.cancel();
    this.onRunOut();
  }
}
