/**
 * A client's session in all implementations: its own deadline, by the monotonic clock. The states are those
 * of `SessionState`; `acknowledged` and `end` are the only events from the server.
 */
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { Session, SessionState } from './registry.ts';

/** A client stops acting after this part of the timeout, counted from the start of its last good ping. */
const DEADLINE = 2 / 3;

export class SessionTracker implements Session {
  readonly id: string;
  #timeout: number;
  #deadline: number;
  #reason: string | undefined;
  #told: SessionState = 'connected';
  #timer: ClockTimer | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<(state: SessionState) => void>();

  /** `started`: monotonic time at which the request that opened the session was sent. */
  constructor(id: string, timeout: number, clock: Clock, started: number) {
    this.id = id;
    this.#timeout = timeout;
    this.#clock = clock;
    this.#deadline = started + timeout * DEADLINE;
    this.#arm();
  }

  get timeout(): number {
    return this.#timeout;
  }

  get state(): SessionState {
    if (this.#reason !== undefined) return 'lost';
    return this.remaining() > 0 ? 'connected' : 'suspended';
  }

  get lostBecause(): string | undefined {
    return this.#reason;
  }

  remaining(): number {
    return this.#reason === undefined ? this.#deadline - this.#clock.monotonic() : 0;
  }

  onState(listener: (state: SessionState) => void): () => void {
    // Wrapped, so that a function added twice is called twice.
    const own = (state: SessionState) => listener(state);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** A ping sent at this monotonic time was answered. A new connection may negotiate another timeout. */
  acknowledged(started: number, timeout = this.#timeout): void {
    if (this.#reason !== undefined) return;
    // Reports a deadline that passed while the process was frozen, before the answer lifts it.
    this.#tell();
    this.#timeout = timeout;
    this.#deadline = Math.max(this.#deadline, started + timeout * DEADLINE);
    this.#tell();
    this.#arm();
  }

  /** Ends the session; the first reason stays. */
  end(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#tell();
    this.#reason = reason;
    this.#timer?.cancel();
    this.#tell();
    this.#listeners.clear();
  }

  #arm(): void {
    this.#timer?.cancel();
    const rest = this.remaining();
    if (rest > 0) this.#timer = this.#clock.setTimer(rest, () => this.#tell());
  }

  #tell(): void {
    const state = this.state;
    if (state === this.#told) return;
    this.#told = state;
    for (const listener of [...this.#listeners]) listener(state);
  }
}
