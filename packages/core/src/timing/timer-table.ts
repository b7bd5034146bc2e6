/**
 * Assigns each waiting timer a small id and a handle, and stores its payload. Ids are reused; a handle also
 * carries the generation of its id, so a stale handle never reaches a later timer.
 */
import { InvalidInput } from '../errors.ts';

/** Identifies one timer permanently: once it has fired or was cancelled, its handle is invalid. */
export type TimerHandle = number & { readonly handleOf: 'timer' };

/** A handle is generation * ID_RANGE + id, which must stay a safe integer. */
const ID_RANGE = 2 ** 28;
const LAST_GENERATION = 2 ** 25 - 1;

/**
 * The waiting timers. Free ids are bits of a map, assigned by a cyclic walk: timers added together lie
 * together in memory, which makes adding and firing several times faster than ids from a stack, which return
 * in firing order.
 */
export class TimerTable<T> {
  #size = 0;
  #generations = new Int32Array(256).fill(1);
  readonly #payloads: (T | undefined)[] = [];
  #free = new Int32Array(256 / 32).fill(-1);
  #freeCount = 256;
  /** The word of the map at which the walk stands. */
  #word = 0;

  get size(): number {
    return this.#size;
  }

  /** Stores a payload and returns its id. */
  add(payload: T): number {
    // Some free space keeps the walk to the next free id short.
    if (this.#freeCount * 64 <= this.#generations.length) this.#grow();
    while (this.#free[this.#word] === 0) this.#word = (this.#word + 1) % this.#free.length;
    const bits = this.#free[this.#word];
    const id = this.#word * 32 + 31 - Math.clz32(bits & -bits);
    this.#free[this.#word] = bits & (bits - 1);
    this.#freeCount--;
    this.#payloads[id] = payload;
    this.#size++;
    return id;
  }

  /** Frees an id and returns its payload. */
  release(id: number): T {
    const payload = this.#payloads[id] as T;
    this.#payloads[id] = undefined;
    this.#size--;
    // An id with no generation left is retired, so that no handle is ever assigned twice.
    if (this.#generations[id]++ < LAST_GENERATION) {
      this.#free[id >> 5] |= 1 << (id & 31);
      this.#freeCount++;
    }
    return payload;
  }

  /** The handle of an id in use. */
  handleOf(id: number): TimerHandle {
    return (this.#generations[id] * ID_RANGE + id) as TimerHandle;
  }

  /** The id of a handle; undefined if its timer is no longer waiting. */
  find(handle: TimerHandle): number | undefined {
    const id = handle & (ID_RANGE - 1);
    return id < this.#payloads.length && this.handleOf(id) === handle ? id : undefined;
  }

  #grow(): void {
    const length = this.#generations.length;
    if (length === ID_RANGE) throw new InvalidInput(`more than ${ID_RANGE} timers in one queue`);
    const generations = new Int32Array(2 * length).fill(1, length);
    generations.set(this.#generations);
    this.#generations = generations;
    const free = new Int32Array((2 * length) / 32).fill(-1, length / 32);
    free.set(this.#free);
    this.#free = free;
    this.#freeCount += length;
  }
}
