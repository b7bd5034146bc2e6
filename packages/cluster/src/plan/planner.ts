/**
 * Makes plans from the store: boundaries by rank of the enabled schedules, reading only the ids at the
 * boundaries. No step reads more than a page.
 */
import {
  movedRanges,
  ownersOf,
  type Plan,
  planByRange,
  planByRing,
  planRanges,
  type RangeStrategy,
  type Weights,
} from '@orrery/core/shard';
import type { Store } from '@orrery/store';

/** How schedules are divided: into ranges, or by a hash ring. */
export type PlanStrategy = RangeStrategy | 'consistent-hash';

/** Input of a plan. */
export interface PlanInput {
  readonly number: number;
  readonly strategy: PlanStrategy;
  readonly nodes: readonly string[];
  readonly weights: Weights;
}

/** Ids compared in one step for plans without ranges. */
const PAGE = 1_000;
/** Attempts at a consistent plan: schedules come and go while a plan is made. */
const TRIES = 5;

type PlanStore = Pick<Store, 'countEnabled' | 'idsAtRanks' | 'countUpTo' | 'enabledIds'>;

/** Makes a plan and counts the schedules it divides. */
export async function makePlan(
  store: PlanStore,
  { number, strategy, nodes, weights }: PlanInput,
): Promise<{ plan: Plan; schedules: number }> {
  for (let tried = 1; ; tried++) {
    const total = await store.countEnabled();
    if (strategy === 'consistent-hash') return { plan: planByRing(number, nodes), schedules: total };
    const ends = [...planRanges(strategy, total, nodes, weights).values()].flatMap((range) =>
      range ? [range[1]] : [],
    );
    const ranks = ends.slice(0, -1);
    const ids = await store.idsAtRanks({ ranks });
    if (ids.length !== ranks.length && tried < TRIES) continue;
    const byRank = new Map(ranks.map((rank, k) => [rank, ids[k]]));
    const idAt = (rank: number) => byRank.get(rank) ?? Number.NaN;
    return { plan: planByRange({ number, strategy, nodes, total, idAt, weights }), schedules: total };
  }
}

/** Number of schedules that change hands between two plans; all of them without an earlier plan. */
export async function countMoved(store: PlanStore, before: Plan | undefined, after: Plan): Promise<number> {
  if (!before) return store.countEnabled();
  const ranges = movedRanges(before, after);
  if (!ranges) return countMovedIds(store, before, after);
  const cuts = [...new Set(ranges.flatMap(({ above, upTo }) => [above, upTo]))]
    .filter((cut) => cut !== null)
    .sort((a, b) => a - b);
  const counts = await store.countUpTo({ cuts });
  const upTo = new Map(cuts.map((cut, k) => [cut, counts[k]]));
  const total = ranges.some((range) => range.upTo === null) ? await store.countEnabled() : 0;
  const countTo = (cut: number | null, otherwise: number) =>
    cut === null ? otherwise : (upTo.get(cut) ?? otherwise);
  return ranges.reduce((sum, range) => sum + countTo(range.upTo, total) - countTo(range.above, 0), 0);
}

/** Ratio of the largest weighted share of a range plan to the smallest; 1 if the shares are even. */
export async function imbalance(store: PlanStore, plan: Plan, weights: Weights): Promise<number> {
  if (!('ranges' in plan) || plan.nodes.length < 2) return 1;
  const { owners, cuts } = plan.ranges;
  const [counts, total] = [await store.countUpTo({ cuts }), await store.countEnabled()];
  const shares = new Map(plan.nodes.map((node) => [node, 0]));
  owners.forEach((owner, k) => {
    shares.set(owner, (counts[k] ?? total) - (counts[k - 1] ?? 0));
  });
  const weighed = [...shares].map(([node, share]) =>
    plan.strategy === 'weighted' ? share / (weights.get(node) ?? 1) : share,
  );
  // A handful of schedules cannot be even: a difference of one does not count.
  if (Math.max(...weighed) - Math.min(...weighed) <= plan.nodes.length) return 1;
  return Math.max(...weighed) / Math.max(Math.min(...weighed), Number.EPSILON);
}

async function countMovedIds(store: PlanStore, before: Plan, after: Plan): Promise<number> {
  const [was, is] = [ownersOf(before), ownersOf(after)];
  let [moved, last] = [0, 0];
  for (;;) {
    const ids = await store.enabledIds({ after: last, limit: PAGE });
    for (const id of ids) if (was(id) !== is(id)) moved++;
    if (ids.length < PAGE) return moved;
    last = ids[ids.length - 1];
  }
}
