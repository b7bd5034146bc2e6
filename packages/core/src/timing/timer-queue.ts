/**
 * Timers by wall-clock time, in two tiers: near ones in a wheel, far ones in a skip list that is drained into
 * it. A queue is stopped or started: `start` sleeps from one due time to the next, `stop` ends that and keeps
 * the timers. A timer is waiting, then fired or cancelled, each at most once.
 */
import { IllegalTransition, InvalidInput } from '../errors.ts';
import type { Clock, ClockTimer } from './clock.ts';
import { SkipList } from './skip-list.ts';
import { type TimerHandle, TimerTable } from './timer-table.ts';
import { Wheel } from './wheel.ts';

/** Options of a queue, all in milliseconds. */
export interface TimerQueueOptions {
  /** A timer due within this span goes to the wheel, a later one to the skip list. */
  wheelSpan: number;
  /** Interval of draining the skip list, counted from the creation of the queue. */
  drainEvery: number;
  /** A drain moves timers due within this span. */
  lookAhead: number;
  /**
   * The longest sleep while timers wait, and so the longest time that a step of the wall clock goes
   * unnoticed.
   */
  maxSleep: number;
}

const defaults: TimerQueueOptions = {
  wheelSpan: 30_000,
  drainEvery: 15_000,
  lookAhead: 15_000,
  maxSleep: 1_000,
};

/** Node of a timer in the wheel: no entry of the skip list has it. */
const IN_WHEEL = 0;

/** `wakeAt` of a stopped queue: no due time is earlier, so `add` sets no alarm. */
const STOPPED = Number.NEGATIVE_INFINITY;

/**
 * The queue. A timer fires when `clock.now()` is first seen at or past its due time, never before.
 * - The clock set forward: all that became due fires in one batch, at the next wake.
 * - The clock set back: what has fired does not fire again; the rest waits until the clock shows its due
 *   time again, and new timers are measured by the new time. This touches every timer in the wheel once.
 */
export class TimerQueue<T> {
  readonly #clock: Clock;
  readonly #options: TimerQueueOptions;
  readonly #table = new TimerTable<T>();
  readonly #wheel: Wheel;
  readonly #list = new SkipList();
  /** By id: the timer's node in the skip list, or IN_WHEEL. */
  #nodes = new Int32Array(256);
  readonly #firstDrain: number;
  /** No entry of the skip list is due before this. */
  #nextDrain: number;
  #onFire: ((payloads: T[]) => void) | undefined;
  #alarm: ClockTimer | undefined;
  #wakeAt = STOPPED;

  constructor(clock: Clock, options: Partial<TimerQueueOptions> = {}) {
    this.#clock = clock;
    this.#options = checked({ ...defaults, ...options });
    const now = wholeTime(clock.now());
    this.#wheel = new Wheel(now);
    this.#firstDrain = now + this.#options.drainEvery;
    this.#nextDrain = this.#firstDrain;
  }

  /** Number of waiting timers. */
  get size(): number {
    return this.#table.size;
  }

  /** Number of waiting timers in the skip list. */
  get far(): number {
    return this.#list.size;
  }

  /** Adds a timer due at an epoch time; a fraction of a millisecond is rounded up. */
  add(due: number, payload: T): TimerHandle {
    if (!(due <= Number.MAX_SAFE_INTEGER))
      throw new InvalidInput(`due time ${due} is not a time in epoch milliseconds`);
    const now = this.#notice(this.#clock.now());
    const at = Math.max(0, Math.ceil(due));
    const id = this.#table.add(payload);
    if (at <= now + this.#options.wheelSpan) this.#wheel.add(id, at);
    else this.#setNode(id, this.#list.insert(at, id));
    if (Math.max(at, now) < this.#wakeAt) this.#setAlarm();
    return this.#table.handleOf(id);
  }

  /** Cancels a timer in either tier; false if it has fired (was returned in a batch) or was cancelled. */
  cancel(handle: TimerHandle): boolean {
    const id = this.#table.find(handle);
    if (id === undefined) return false;
    const node = this.#nodes[id];
    if (node === IN_WHEEL || node === undefined) this.#wheel.remove(id);
    else {
      this.#list.delete(node);
      this.#nodes[id] = IN_WHEEL;
    }
    this.#table.release(id);
    return true;
  }

  /**
   * Starts firing: one batch per wake, in order of due time. `onFire` may add and cancel timers; those it
   * adds fire at a later wake, even if already due. Its exceptions go to the host, and the queue continues.
   */
  start(onFire: (payloads: T[]) => void): void {
    if (this.#onFire) throw new IllegalTransition('timer queue', 'started', 'start');
    this.#onFire = onFire;
    this.#setAlarm();
  }

  /** Stops firing. The timers stay, and a later `start` fires those that have become due. */
  stop(): void {
    this.#onFire = undefined;
    this.#setAlarm();
  }

  /** Takes the timers due at `now`, in order of due time: for callers that drive the queue themselves. */
  runDue(now: number): T[] {
    const time = this.#notice(now);
    if (time >= this.#nextDrain) {
      this.#list.takeUntil(time + this.#options.lookAhead, (id, due) => {
        this.#nodes[id] = IN_WHEEL;
        this.#wheel.add(id, due);
      });
      this.#nextDrain = this.#drainAfter(time);
    }
    const ids: number[] = [];
    this.#wheel.take(time, ids);
    const payloads: T[] = [];
    for (const id of ids) payloads.push(this.#table.release(id));
    return payloads;
  }

  #wake(onFire: (payloads: T[]) => void): void {
    const payloads = this.runDue(this.#clock.now());
    try {
      if (payloads.length > 0) onFire(payloads);
    } finally {
      this.#setAlarm();
    }
  }

  #setAlarm(): void {
    this.#alarm?.cancel();
    const onFire = this.#onFire;
    this.#wakeAt = onFire ? Number.POSITIVE_INFINITY : STOPPED;
    if (!onFire || this.size === 0) return;
    const now = this.#clock.now();
    const due = this.#wheel.nextDue() ?? Number.POSITIVE_INFINITY;
    const drain = this.far > 0 ? this.#nextDrain : Number.POSITIVE_INFINITY;
    this.#wakeAt = Math.min(due, drain, now + this.#options.maxSleep);
    this.#alarm = this.#clock.setTimer(this.#wakeAt - now, () => this.#wake(onFire));
  }

  /** Whole milliseconds of a clock reading; sets the tiers back if the clock was set back. */
  #notice(reading: number): number {
    const now = wholeTime(reading);
    if (now < this.#wheel.position) {
      this.#wheel.rewind(now);
      this.#nextDrain = this.#drainAfter(now);
    }
    return now;
  }

  /** The first drain after a time: on a fixed grid, so that drains do not drift. */
  #drainAfter(now: number): number {
    const { drainEvery } = this.#options;
    return this.#firstDrain + (Math.floor((now - this.#firstDrain) / drainEvery) + 1) * drainEvery;
  }

  #setNode(id: number, node: number): void {
    if (id >= this.#nodes.length) {
      const nodes = new Int32Array(2 * id);
      nodes.set(this.#nodes);
      this.#nodes = nodes;
    }
    this.#nodes[id] = node;
  }
}

/** Rounded down, so that nothing fires early. */
function wholeTime(reading: number): number {
  return Math.max(0, Math.floor(reading));
}

/** Refuses spans that would leave a timer in the skip list past its due time. */
function checked(options: TimerQueueOptions): TimerQueueOptions {
  for (const [name, ms] of Object.entries(options)) {
    if (!Number.isSafeInteger(ms) || ms < 1)
      throw new InvalidInput(`${ms} is not a whole number of milliseconds, 1 or more`, name);
  }
  const { wheelSpan, drainEvery, lookAhead } = options;
  if (wheelSpan < drainEvery || lookAhead < drainEvery)
    throw new InvalidInput(
      `drainEvery ${drainEvery} is longer than wheelSpan ${wheelSpan} or lookAhead ${lookAhead}; it may not be`,
    );
  return options;
}
