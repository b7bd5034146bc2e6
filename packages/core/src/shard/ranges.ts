/**
 * Ranges of schedules: cut by rank, the position among existing ids counted from 1, and stored as ranges of
 * ids. Ids may have gaps of any size; cutting the numbers 1..count by raw id would leave schedules with large
 * ids without an owner.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { checkDistinct, sortNodes } from './order.ts';
import { byWeight, differByOne, restToLast, type SizeRule, sizesBy } from './sizes.ts';
import { type Weights, weightsOf } from './weights.ts';

/** First and last rank of a node, both inclusive; null for a node without a share. */
export type RankRange = readonly [from: number, to: number] | null;

/** Built-in ways to cut schedules into ranges. */
export const rangeStrategies = {
  /** Equal sizes; the rest goes to the last node. */
  range: restToLast,
  /** Sizes that differ by at most one, the larger ones first. */
  balanced: differByOne,
  /** In proportion to the weights. */
  weighted: byWeight,
} as const satisfies Record<string, SizeRule>;

/** Name of a built-in strategy, or a user's own rule with the name that the plan shows. */
export type RangeStrategy =
  | keyof typeof rangeStrategies
  | { readonly name: string; readonly sizes: SizeRule };

/**
 * Ranges of ids: `owners[i]` owns the ids above `cuts[i - 1]` and up to `cuts[i]`. The first range has no
 * lower end and the last no upper one, so every present and future id has exactly one owner.
 */
export interface IdRanges {
  readonly owners: readonly string[];
  readonly cuts: readonly number[];
}

/** Assigns the ranks of `total` schedules; sorts the nodes. */
export function planRanges(
  strategy: RangeStrategy,
  total: number,
  nodes: readonly string[],
  weights?: Weights,
): Map<string, RankRange> {
  checkDistinct(nodes);
  const sorted = sortNodes(nodes);
  const sizes = sizesBy(ruleOf(strategy), total, weightsOf(sorted, weights));
  let next = 1;
  return new Map(
    sorted.map((node, i) => {
      const from = next;
      next += sizes[i];
      return [node, sizes[i] === 0 ? null : [from, next - 1]];
    }),
  );
}

/**
 * Converts ranges of ranks to ranges of ids. `idAt` returns the id at a rank (`ids[rank - 1]` of the sorted
 * ids). It is called only once per range, so a caller with many schedules need not read them all.
 */
export function rangesToIds(
  ranges: ReadonlyMap<string, RankRange>,
  idAt: (rank: number) => number,
): IdRanges {
  const used = [...ranges].flatMap(([owner, range]) => (range ? [{ owner, last: range[1] }] : []));
  // Without schedules, the last node owns all future ones.
  if (used.length === 0) return { owners: [...ranges.keys()].slice(-1), cuts: [] };
  const cuts = used.slice(0, -1).map(({ last }) => idAt(last));
  const fault = cutFault(cuts);
  if (fault) throw new InvalidInput(`${fault}; ids by rank must be whole numbers that grow`);
  return { owners: used.map(({ owner }) => owner), cuts };
}

/** The owner of an id; undefined only if there is no owner at all. */
export function ownerInRanges({ owners, cuts }: IdRanges, id: number): string | undefined {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cuts[middle] < id) low = middle + 1;
    else high = middle;
  }
  return owners[low];
}

/** The fault of a list of cuts, or undefined. */
export function cutFault(cuts: readonly number[]): string | undefined {
  const at = cuts.findIndex((cut, i) => !Number.isSafeInteger(cut) || (i > 0 && cut <= cuts[i - 1]));
  return at < 0 ? undefined : `cut ${cuts[at]} at position ${at} does not follow the one before it`;
}

function ruleOf(strategy: RangeStrategy): SizeRule {
  if (typeof strategy !== 'string') return strategy.sizes;
  if (Object.hasOwn(rangeStrategies, strategy)) return rangeStrategies[strategy];
  throw new InvalidInput(said('value.strategy', { name: strategy, names: Object.keys(rangeStrategies) }));
}
