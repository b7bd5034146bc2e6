/**
 * Sets of small numbers as 32-bit words, for the values of a cron field. The next or previous member is found
 * by counting zeros instead of stepping.
 */

/** A set of numbers from 0 on. */
export type Bits = readonly number[];

/** The set of the given numbers. */
export function bitsOf(values: Iterable<number>): Bits {
  const words: number[] = [];
  for (const value of values) {
    const word = value >>> 5;
    while (words.length <= word) words.push(0);
    words[word] |= 1 << (value & 31);
  }
  return words;
}

/** The smallest member that is at least `from`, or -1. */
export function nextBit(bits: Bits, from: number): number {
  let word = from >>> 5;
  if (word >= bits.length) return -1;
  let rest = bits[word] & (-1 << (from & 31));
  while (rest === 0) {
    word++;
    if (word === bits.length) return -1;
    rest = bits[word];
  }
  return (word << 5) + lowestBit(rest);
}

/** The greatest member that is at most `from`, or -1; `from` may be -1. */
export function previousBit(bits: Bits, from: number): number {
  if (from < 0) return -1;
  let word = from >>> 5;
  let rest = 0;
  if (word < bits.length) rest = bits[word] & (-1 >>> (31 - (from & 31)));
  else word = bits.length;
  while (rest === 0) {
    word--;
    if (word < 0) return -1;
    rest = bits[word];
  }
  return (word << 5) + highestBit(rest);
}

/** The index of the lowest set bit of a nonzero word. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The index of the highest set bit of a nonzero word. */
export function highestBit(word: number): number {
  return 31 - Math.clz32(word);
}
