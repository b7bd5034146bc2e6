/**
 * A worker's lease: how long it may go on without hearing that a beat of it was committed.
 * States: none -> held -> run out -> held again, if a later beat is committed after all.
 * It counts from when a beat was sent, by the monotonic clock: a master counts from later, so it never gives a worker
 * up before the worker itself knows.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';

/** One for each session. */
export class Lease {
  /** Milliseconds that a committed beat is good for, as the last welcome said. */
  length = 0;
  private readonly clock: Clock;
  private readonly onExtended: (left: number) => void;
  private readonly onRunOut: () => void;
  private end = 0;
  private state: 'none' | 'held' | 'run out' = 'none';
  private timer: ClockTimer | undefined;
  /** When each beat was sent that may still be committed. */
  private readonly sent = new Map<number, number>();
  /** The last beat that was answered, if only with "store away". */
  private answered = 0;
  private last = 0;
  /** When the first question was sent that the next answer may be to. */
  private asked = 0;
  /** When each master was asked that then said that the store is away. */
  private readonly away = new Map<string, number>();

  constructor(clock: Clock, onExtended: (left: number) => void, onRunOut: () => void) {
    this.clock = clock;
    this.onExtended = onExtended;
    this.onRunOut = onRunOut;
  }

  /** Whether the lease holds now. Finds out by itself after a freeze, before any timer had its turn. */
  holds(): boolean {
    if (this.state === 'held' && this.clock.monotonic() >= this.end) this.runOut();
    return this.state === 'held';
  }

  /** A question to join leaves, on a new connection: what was asked on the one before gets no answer. */
  helloSent(): void {
    this.sent.clear();
    this.answered = this.last;
    this.asked = this.clock.monotonic();
  }

  /** The worker has joined: that counts as its first committed beat. */
  begin(): void {
    this.away.clear();
    this.extend(this.asked);
  }

  /** A beat leaves. */
  beatSent(beat: number): void {
    const now = this.clock.monotonic();
    if (!this.unanswered) this.asked = now;
    this.last = beat;
    this.sent.set(beat, now);
    for (const [earlier, at] of this.sent) if (at + this.length < now) this.sent.delete(earlier);
  }

  /** Whether a beat was sent that nobody has answered. */
  get unanswered(): boolean {
    return this.last > this.answered;
  }

  /** A beat is committed; so are the ones before it, for all that matters. */
  committed(beat: number): void {
    const from = this.sent.get(beat);
    if (from === undefined) return;
    this.answered = Math.max(this.answered, beat);
    for (const earlier of this.sent.keys()) if (earlier <= beat) this.sent.delete(earlier);
    this.away.clear();
    this.extend(from);
  }

  /**
   * A master says that the store is away. Without a store nobody can give the worker up, so the lease holds if all
   * masters say so, counted from when the first of them was asked. A beat may still be committed: the store may only
   * have been slow.
   */
  storeAway(master: string, masters: readonly string[]): void {
    this.answered = this.last;
    this.away.set(master, this.asked);
    this.extend(Math.min(...masters.map((each) => this.lastAway(each))));
  }

  /** The master that has said for the longest time, or never, that the store is away. */
  longestUnasked(masters: readonly string[]): string | undefined {
    return masters.toSorted((a, b) => this.lastAway(a) - this.lastAway(b))[0];
  }

  /** No lease any more, and nobody to tell. */
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
