/**
 * A list of numbers ordered by score, first in first out among equal scores. Insert and delete cost
 * O(log n) expected, taking the k lowest O(k). Nodes are blocks of one typed array: a search touches little
 * memory, and a million of them are nothing to the garbage collector. Heights come from a seeded
 * generator: the same calls build the same list.
 */

/** With one node in four a level higher, 16 levels serve any number of nodes that fits in memory. */
const MAX_HEIGHT = 16;

/** A block: the entry, its place in the order of insertion, and its successor on each of its levels. */
const SCORE = 0;
const SEQUENCE = 1;
const VALUE = 2;
const HEIGHT = 3;
const LINKS = 4;

/** The first block: before every score, on every level. As a link it means that there is no successor. */
const HEAD = 0;
const DEFAULT_SEED = 0x9e3779b9;

/**
 * The list. `insert` returns a node for `delete`; it is valid until its entry is deleted or taken, and
 * may then be given to another. It is never 0.
 */
export class SkipList {
  #blocks = new Float64Array(1_024);
  #used = LINKS + MAX_HEIGHT;
  #size = 0;
  #nextSequence = 0;
  #random: number;
  /** Blocks to use again, by height. */
  readonly #free: number[][] = Array.from({ length: MAX_HEIGHT + 1 }, () => []);
  /** The last node before the place looked for, on each level. */
  readonly #before = new Int32Array(MAX_HEIGHT);

  constructor(seed = DEFAULT_SEED) {
    this.#random = seed | 0 || DEFAULT_SEED;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an entry behind those of the same or a lower score. */
  insert(score: number, value: number): number {
    const sequence = this.#nextSequence++;
    this.#seek(score, sequence);
    const node = this.#newBlock(this.#nextHeight());
    const blocks = this.#blocks;
    blocks[node + SCORE] = score;
    blocks[node + SEQUENCE] = sequence;
    blocks[node + VALUE] = value;
    for (let level = 0; level < blocks[node + HEIGHT]; level++) {
      const link = this.#before[level] + LINKS + level;
      blocks[node + LINKS + level] = blocks[link];
      blocks[link] = node;
    }
    this.#size++;
    return node;
  }

  /** Removes the entry of a valid node. */
  delete(node: number): void {
    this.#seek(this.#blocks[node + SCORE], this.#blocks[node + SEQUENCE]);
    this.#unlink(node);
  }

  /** The lowest score. */
  firstScore(): number | undefined {
    return this.#size === 0 ? undefined : this.#blocks[this.#blocks[HEAD + LINKS] + SCORE];
  }

  /** Removes the first entry and returns its value. */
  shift(): number | undefined {
    if (this.#size === 0) return undefined;
    const first = this.#blocks[HEAD + LINKS];
    this.#before.fill(HEAD);
    this.#unlink(first);
    return this.#blocks[first + VALUE];
  }

  /** Removes every entry with a score up to `limit`, handing each to `take` in order. */
  takeUntil(limit: number, take: (value: number, score: number) => void): void {
    for (;;) {
      const score = this.firstScore();
      if (score === undefined || score > limit) return;
      take(this.shift() as number, score);
    }
  }

  /** Sets `before` to the last node ahead of (score, sequence) on each level. */
  #seek(score: number, sequence: number): void {
    const blocks = this.#blocks;
    let node = HEAD;
    for (let level = MAX_HEIGHT - 1; level >= 0; level--) {
      for (;;) {
        const next = blocks[node + LINKS + level] | 0;
        if (next === HEAD) break;
        const other = blocks[next + SCORE];
        if (other > score || (other === score && blocks[next + SEQUENCE] >= sequence)) break;
        node = next;
      }
      this.#before[level] = node;
    }
  }

  /** Takes a node out, given `before` for it. Its block keeps its contents until it is used again. */
  #unlink(node: number): void {
    const blocks = this.#blocks;
    const height = blocks[node + HEIGHT];
    for (let level = 0; level < height; level++) {
      blocks[this.#before[level] + LINKS + level] = blocks[node + LINKS + level];
    }
    this.#free[height].push(node);
    this.#size--;
  }

  #newBlock(height: number): number {
    const free = this.#free[height].pop();
    if (free !== undefined) return free;
    const node = this.#used;
    this.#used += LINKS + height;
    if (this.#used > this.#blocks.length) {
      const blocks = new Float64Array(2 * this.#used);
      blocks.set(this.#blocks);
      this.#blocks = blocks;
    }
    this.#blocks[node + HEIGHT] = height;
    return node;
  }

  /** 1 for three nodes in four, 2 for three in four of the others, and so on: two random bits a level. */
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
