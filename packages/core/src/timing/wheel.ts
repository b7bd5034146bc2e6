/**
 * A hierarchical timing wheel of milliseconds. Its seven levels of 256 slots are the base-256 digits of a
 * time. A timer sits in the level of the highest digit in which its due time differs from the wheel's
 * position. So any due time fits, and lists are in time order: level by level, slot by slot. Entering a slot
 * above level 0 spreads its timers over the levels below. A timer is a 16-byte record.
 */

const DIGIT = 8;
const SLOTS = 1 << DIGIT;
/** Together 56 bits, more than a safe integer has. */
const LEVELS = 7;
/** Levels whose digit is in the low 32 bits of a time. */
const LOW_LEVELS = 4;
const LISTS = LEVELS * SLOTS;
const LOW_RANGE = 2 ** 32;

/** A record: two links, then the due time. Links are offsets of records in the array. */
const NEXT = 0;
const PREVIOUS = 1;
const LOW = 2;
const HIGH = 3;
const RECORD = 4;

/**
 * The wheel. It stores ids: small integers that the caller assigns and keeps unique; memory grows with the
 * largest. Times are whole milliseconds from 0 on. Adding and removing take O(1); taking costs the taken
 * timers plus the slots entered: a bitmap skips empty ranges of any length.
 */
export class Wheel {
  /** The first LISTS records are the heads of the lists, circular and doubly linked; the ids follow. */
  #records = new Int32Array((LISTS + SLOTS) * RECORD);
  /** One bit per list: set while the list has a timer. */
  readonly #occupied = new Int32Array(LISTS / 32);
  #position = 0;
  #low = 0;
  #high = 0;

  constructor(position: number) {
    for (let head = 0; head < LISTS * RECORD; head += RECORD) this.#empty(head);
    this.#moveTo(position);
  }

  /** The time up to which due timers have been taken. */
  get position(): number {
    return this.#position;
  }

  /** Adds a timer. The next `take` takes it if it is due at or before the position. */
  add(id: number, due: number): void {
    const record = (LISTS + id) * RECORD;
    if (record >= this.#records.length) this.#grow(record);
    const low = due | 0;
    const high = Math.floor(due / LOW_RANGE);
    this.#records[record + LOW] = low;
    this.#records[record + HIGH] = high;
    if (due > this.#position) this.#append(record, low, high);
    else this.#append(record, this.#low, this.#high);
  }

  /** Removes a timer that is in the wheel. */
  remove(id: number): void {
    const records = this.#records;
    const record = (LISTS + id) * RECORD;
    const next = records[record + NEXT];
    const previous = records[record + PREVIOUS];
    records[previous + NEXT] = next;
    records[next + PREVIOUS] = previous;
    // Only the head is left: otherwise a removed timer's neighbours are two different records.
    if (next === previous) this.#clear(next / RECORD);
  }

  /**
   * When to call `take` next: exact for a timer within the current block of 256 ms, otherwise the start of
   * its slot. A caller that wakes then and asks again is never late.
   */
  nextDue(): number | undefined {
    const list = this.#firstOccupied();
    return list < 0 ? undefined : this.#startOf(list);
  }

  /**
   * Moves to `to` and appends the ids due by then to `taken`: in order of due time, and of addition within a
   * millisecond. A timer already due when added counts as due at the position of that moment.
   */
  take(to: number, taken: number[]): void {
    this.rewind(to);
    for (;;) {
      const list = this.#firstOccupied();
      if (list < 0) break;
      const start = this.#startOf(list);
      if (start > to) break;
      this.#moveTo(start);
      if (list < SLOTS) this.#collect(list, taken);
      else this.#spread(list);
    }
    this.#moveTo(to);
  }

  /** Moves back to `to`, if the position is past it. The only operation that touches every timer. */
  rewind(to: number): void {
    if (to >= this.#position) return;
    const all: number[] = [];
    for (let list = this.#firstOccupied(); list >= 0; list = this.#firstOccupied()) this.#collect(list, all);
    this.#moveTo(to);
    for (const id of all) {
      const record = (LISTS + id) * RECORD;
      this.add(id, this.#records[record + HIGH] * LOW_RANGE + (this.#records[record + LOW] >>> 0));
    }
  }

  #moveTo(position: number): void {
    this.#position = position;
    this.#low = position | 0;
    this.#high = Math.floor(position / LOW_RANGE);
  }

  /** Appends a record to the list of a time that is not before the position. */
  #append(record: number, low: number, high: number): void {
    let list: number;
    if (high === this.#high) {
      const level = highestDigit(low ^ this.#low);
      list = level * SLOTS + ((low >>> (level * DIGIT)) & (SLOTS - 1));
    } else {
      const level = highestDigit(high ^ this.#high);
      list = (LOW_LEVELS + level) * SLOTS + ((high >>> (level * DIGIT)) & (SLOTS - 1));
    }
    const records = this.#records;
    const head = list * RECORD;
    const last = records[head + PREVIOUS];
    records[record + NEXT] = head;
    records[record + PREVIOUS] = last;
    records[last + NEXT] = record;
    records[head + PREVIOUS] = record;
    this.#occupied[list >> 5] |= 1 << (list & 31);
  }

  /** The list with the earliest timers, or -1. Passed slots are empty, so it is the first occupied list. */
  #firstOccupied(): number {
    const occupied = this.#occupied;
    for (let word = 0; word < occupied.length; word++) {
      const bits = occupied[word];
      if (bits !== 0) return word * 32 + 31 - Math.clz32(bits & -bits);
    }
    return -1;
  }

  /** The first millisecond of a list's slot: the position with that digit set and lower ones zero. */
  #startOf(list: number): number {
    const unit = 2 ** ((list >> DIGIT) * DIGIT);
    const block = Math.floor(this.#position / unit);
    return (block - (block & (SLOTS - 1)) + (list & (SLOTS - 1))) * unit;
  }

  /** Takes all timers of a list out of the wheel. */
  #collect(list: number, taken: number[]): void {
    const records = this.#records;
    const head = list * RECORD;
    for (let record = records[head + NEXT]; record !== head; record = records[record + NEXT]) {
      taken.push(record / RECORD - LISTS);
    }
    this.#empty(head);
    this.#clear(list);
  }

  /**
   * Moves the timers of a list, whose slot the position has just entered, to lower levels. Following links
   * through a large wheel is one cache miss after another; walking from both ends keeps two in flight.
   */
  #spread(list: number): void {
    const records = this.#records;
    const head = list * RECORD;
    let first = records[head + NEXT];
    let last = records[head + PREVIOUS];
    this.#empty(head);
    this.#clear(list);
    const back: number[] = [];
    while (first !== last) {
      const next = records[first + NEXT];
      this.#append(first, records[first + LOW], records[first + HIGH]);
      first = next;
      if (first === last) break;
      back.push(last);
      last = records[last + PREVIOUS];
    }
    back.push(first);
    for (let i = back.length - 1; i >= 0; i--) {
      const record = back[i];
      this.#append(record, records[record + LOW], records[record + HIGH]);
    }
  }

  #empty(head: number): void {
    this.#records[head + NEXT] = head;
    this.#records[head + PREVIOUS] = head;
  }

  #clear(list: number): void {
    this.#occupied[list >> 5] &= ~(1 << (list & 31));
  }

  #grow(record: number): void {
    const records = new Int32Array(2 * record);
    records.set(this.#records);
    this.#records = records;
  }
}

/** The index of the highest nonzero base-256 digit; 0 if there is none. */
function highestDigit(bits: number): number {
  return (31 - Math.clz32(bits | 1)) >> 3;
}
