/** Divides shards and schedules among nodes: strategies, plans, and the moves between plans. */
export { parseItemParameters } from './item-params.ts';
export { javaHash } from './java-hash.ts';
export { sortNodes } from './order.ts';
export {
  ownerOf,
  ownersOf,
  type Plan,
  parsePlan,
  planByRange,
  planByRing,
  planFaults,
  planHash,
} from './plan.ts';
export { type MovedRange, movedRanges, planPieces } from './plan-change.ts';
export { planRanges, type RangeStrategy, type RankRange, rangeStrategies } from './ranges.ts';
export {
  chooseShardPlan,
  type ShardPlace,
  type ShardPlanChoice,
  type ShardPlanInput,
  type ShardPlanReason,
} from './shard-plan.ts';
export type { SizeRule } from './sizes.ts';
export {
  type Division,
  type DivisionInput,
  divide,
  movedItems,
  type Strategy,
  type StrategyName,
  strategies,
} from './strategies.ts';
export type { Weights } from './weights.ts';
