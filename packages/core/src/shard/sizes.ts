/**
 * Sizes of contiguous blocks when `total` things are divided among nodes in order. Shards of a job and ranks
 * of schedules share these rules.
 */
import { InvalidInput } from '../errors.ts';

/** A rule maps one weight per node to one size per node; the sizes add up to the total. */
export type SizeRule = (total: number, weights: readonly number[]) => number[];

/** Equal sizes, with the rest on the last node: with fewer things than nodes the last one has them all. */
export const restToLast: SizeRule = (total, weights) => {
  const each = Math.floor(total / weights.length);
  const last = weights.length - 1;
  return weights.map((_, i) => (i < last ? each : total - each * last));
};

/** Sizes that differ by at most one, the larger ones first. */
export const differByOne: SizeRule = (total, weights) => {
  const each = Math.floor(total / weights.length);
  const larger = total % weights.length;
  return weights.map((_, i) => (i < larger ? each + 1 : each));
};

/** Sizes by weight: whole parts first, then one more for the largest remainders, earlier nodes first. */
export const byWeight: SizeRule = (total, weights) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  const remainders = weights.map((weight) => (total * weight) % sum);
  const sizes = weights.map((weight, i) => (total * weight - remainders[i]) / sum);
  const given = sizes.reduce((a, b) => a + b, 0);
  const byRemainder = weights.map((_, i) => i).sort((a, b) => remainders[b] - remainders[a] || a - b);
  for (const i of byRemainder.slice(0, total - given)) sizes[i]++;
  return sizes;
};

/** The sizes of a rule, checked because it may be a user's: a wrong sum would lose or duplicate work. */
export function sizesBy(rule: SizeRule, total: number, weights: readonly number[]): number[] {
  if (!Number.isSafeInteger(total) || total < 0) {
    throw new InvalidInput(`cannot divide ${total}; a whole number from 0 is needed`);
  }
  if (weights.length === 0) return [];
  const sizes = rule(total, weights);
  const sum = sizes.reduce((a, b) => a + b, 0);
  if (
    sizes.length !== weights.length ||
    sum !== total ||
    !sizes.every((n) => Number.isInteger(n) && n >= 0)
  ) {
    throw new InvalidInput(
      `the sizes [${sizes.join(', ')}] do not divide ${total} among ${weights.length} nodes`,
    );
  }
  return sizes;
}
