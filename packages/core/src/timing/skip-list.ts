/**
 * A list of numbers ordered by score, first in first out among equal scores. Insert and delete take O(log n)
 * expected, taking the k lowest O(k). Nodes are blocks of one typed array: a search touches little memory,
 * and a million nodes put no load on the garbage collector. Heights come from a seeded generator: the same
 * calls build the same list.
 */

/** With one node in four a level higher, 16 levels suffice for any number of nodes that fits in memory. */
const MAX_HEIGHT = 16;

/**
 * Layout of a block, in units of 8 bytes: two floats, its score and its sequence number; then integers: its
 * value, its height, and its successor on each level.
 */
const SCORE = 0;
const SEQUENCE = 1;
const VALUE = 4;
const HEIGHT = 5;
const LINKS = 6;

/** The first block: before every score, on every level. As a link it means that there is no successor. */
const HEAD = 0;
const DEFAULT_SEED = 0x9e3779b9;

/**
 * The list; its values are 32-bit integers. `insert` returns a node for `delete`; it is valid until its entry
 * is deleted or taken, and may then be reused for another. It is never 0.
 */
export class SkipList {
  #floats = new Float64Array(256);
  /** The same memory as integers. */
  #integers = new Int32Array(this.#floats.buffer);
  #used = blockLength(MAX_HEIGHT);
  #size = 0;
  #nextSequence = 0;
  #random: number;
  /** Free blocks to reuse, by height. */
  readonly #free: number[][] = Array.from({ length: MAX_HEIGHT + 1 }, () => []);
  /** The last node before the searched place, on each level. */
  readonly #before = new Int32Array(MAX_HEIGHT);

  constructor(seed = DEFAULT_SEED) {
    this.#random = seed | 0 || DEFAULT_SEED;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an entry after those of the same or a lower score. */
  insert(score: number, value: number): number {
    const sequence = this.#nextSequence++;
    this.#seek(score, sequence);
    const height = this.#nextHeight();
    const node = this.#free[height].pop() ?? this.#newBlock(height);
    const integers = this.#integers;
    this.#floats[node + SCORE] = score;
    this.#floats[node + SEQUENCE] = sequence;
    integers[2 * node + VALUE] = value;
    for (let level = 0; level < height; level++) {
      const link = 2 * this.#before[level] + LINKS + level;
      integers[2 * node + LINKS + level] = integers[link];
      integers[link] = node;
    }
    this.#size++;
    return node;
  }

  /** Removes the entry of a valid node. */
  delete(node: number): void {
    this.#seek(this.#floats[node + SCORE], this.#floats[node + SEQUENCE]);
    this.#unlink(node);
  }

  /** The lowest score. */
  firstScore(): number | undefined {
    return this.#size === 0 ? undefined : this.#floats[this.#integers[LINKS] + SCORE];
  }

  /** Removes the first entry and returns its value. */
  shift(): number | undefined {
    if (this.#size === 0) return undefined;
    const first = this.#integers[LINKS];
    this.#before.fill(HEAD);
    this.#unlink(first);
    return this.#integers[2 * first + VALUE];
  }

  /** Removes every entry with a score up to `limit`, passing each to `take` in order. */
  takeUntil(limit: number, take: (value: number, score: number) => void): void {
    for (;;) {
      const score = this.firstScore();
      if (score === undefined || score > limit) return;
      take(this.shift() as number, score);
    }
  }

  /** Sets `before` to the last node ahead of (score, sequence) on each level. */
  #seek(score: number, sequence: number): void {
    const floats = this.#floats;
    const integers = this.#integers;
    let node = HEAD;
    for (let level = MAX_HEIGHT - 1; level >= 0; level--) {
      for (;;) {
        const next = integers[2 * node + LINKS + level];
        if (next === HEAD) break;
        const other = floats[next + SCORE];
        if (other > score || (other === score && floats[next + SEQUENCE] >= sequence)) break;
        node = next;
      }
      this.#before[level] = node;
    }
  }

  /** Unlinks a node, given `before` for it. Its block keeps its contents until it is reused. */
  #unlink(node: number): void {
    const integers = this.#integers;
    const height = integers[2 * node + HEIGHT];
    for (let level = 0; level < height; level++) {
      integers[2 * this.#before[level] + LINKS + level] = integers[2 * node + LINKS + level];
    }
    this.#free[height].push(node);
    this.#size--;
  }

  #newBlock(height: number): number {
    const node = this.#used;
    this.#used += blockLength(height);
    if (this.#used > this.#floats.length) {
      const floats = new Float64Array(Math.ceil(1.5 * this.#used));
      floats.set(this.#floats);
      this.#floats = floats;
      this.#integers = new Int32Array(floats.buffer);
    }
    this.#integers[2 * node + HEIGHT] = height;
    return node;
  }

  /** 1 for three nodes in four, 2 for three in four of the others, and so on: two random bits per level. */
  #nextHeight(): number {
    let bits = this.#random;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.#random = bits;
    const trailingZeros = 31 - Math.clz32(bits & -bits);
    return 1 + (trailingZeros >> 1);
  }
}

function blockLength(height: number): number {
  return Math.ceil((LINKS + height) / 2);
}
