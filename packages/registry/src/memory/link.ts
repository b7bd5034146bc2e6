/**
 * The connection between a memory client and its tree, with faults that a test injects. Messages arrive in
 * order, as over TCP: after a dropped message the connection counts as broken until a ping succeeds.
 */
import type { Clock } from '@orrery/core/timing';

/** Faults a test can inject into a connection. */
export interface MemoryFaults {
  /** Drops messages silently, in both directions or in one, until `restore`. */
  cut(direction?: 'both' | 'requests' | 'answers'): void;
  /** Every message takes this long. */
  delay(ms: number): void;
  /** Ends the cut and the delay. */
  restore(): void;
}

/** One direction: delivers messages in order, each after the one before it. */
class Lane {
  readonly #clock: Clock;
  readonly #deliver: (run: () => void) => void;
  readonly #queue: (() => void)[] = [];
  #free = 0;

  constructor(clock: Clock, deliver: (run: () => void) => void) {
    this.#clock = clock;
    this.#deliver = deliver;
  }

  send(delay: number, run: () => void): void {
    this.#queue.push(run);
    const next = () => this.#queue.shift()?.();
    const now = this.#clock.monotonic();
    const due = Math.max(this.#free, now + delay);
    this.#free = due;
    if (due > now) this.#clock.setTimer(due - now, () => this.#deliver(next));
    else this.#deliver(next);
  }
}

export class MemoryLink implements MemoryFaults {
  /** Whether a message was dropped since this was last set to false. */
  broken = false;
  readonly #requests: Lane;
  readonly #answers: Lane;
  #cut: 'none' | 'both' | 'requests' | 'answers' = 'none';
  #delay = 0;

  constructor(clock: Clock, deliver: (run: () => void) => void) {
    this.#requests = new Lane(clock, deliver);
    this.#answers = new Lane(clock, deliver);
  }

  /** Sends to the tree; false if dropped. */
  request(run: () => void): boolean {
    return this.#send(this.#requests, this.#cut === 'both' || this.#cut === 'requests', run);
  }

  /** Sends to the client; false if dropped. */
  answer(run: () => void): boolean {
    return this.#send(this.#answers, this.#cut === 'both' || this.#cut === 'answers', run);
  }

  cut(direction: 'both' | 'requests' | 'answers' = 'both'): void {
    this.#cut = direction;
  }

  delay(ms: number): void {
    this.#delay = ms;
  }

  restore(): void {
    this.#cut = 'none';
    this.#delay = 0;
  }

  #send(lane: Lane, dropped: boolean, run: () => void): boolean {
    if (dropped) this.broken = true;
    else lane.send(this.#delay, run);
    return !dropped;
  }
}
