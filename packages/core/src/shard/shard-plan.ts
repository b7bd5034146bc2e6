/**
 * The shard plan of a sharded task: which shard runs on which node. A dynamic one is made again for every run;
 * a static one is stored and reused, and made again only on the first run, when a shard failed over, or when
 * it uses fewer nodes than wanted although enough are healthy.
 */
import { InvalidInput } from '../errors.ts';
import { sortNodes } from './order.ts';
import { divide, type Strategy, type StrategyName } from './strategies.ts';

/** One shard's place. */
export interface ShardPlace {
  readonly item: number;
  readonly parameter: string;
  readonly node: string;
}

/** What decides about a shard plan. */
export interface ShardPlanInput {
  readonly mode: 'static' | 'dynamic' | 'none';
  /** The name that some strategies hash. */
  readonly job: string;
  readonly shards: number;
  /** One parameter per shard, from `parseItemParameters`. */
  readonly parameters: readonly string[];
  /** On how many nodes the task should run when that many are healthy. */
  readonly defaultInstances: number;
  readonly healthy: readonly string[];
  readonly strategy?: StrategyName | Strategy;
  /** The static plan of the last run. */
  readonly stored?: readonly ShardPlace[];
  /** Shards that ran elsewhere than the stored plan says since it was stored. */
  readonly failedOver?: readonly number[];
  /** In [0, 1): picks the nodes when not all healthy ones are used. */
  readonly random: number;
}

/** Why a plan is as it is; `stored` is the only one that reuses the last plan unchanged. */
export type ShardPlanReason =
  | 'not-sharded'
  | 'dynamic'
  | 'stored'
  | 'first-run'
  | 'failover'
  | 'more-instances'
  | 'shards-changed'
  | 'parameters-changed';

/** The plan and whether to store it, or why the task cannot run now. */
export type ShardPlanChoice =
  | { kind: 'planned'; plan: readonly ShardPlace[]; store: boolean; reason: ShardPlanReason }
  | { kind: 'refused'; reason: 'no-healthy-node' };

/** Decides where the shards of one run go. */
export function chooseShardPlan(input: ShardPlanInput): ShardPlanChoice {
  const { mode, shards, defaultInstances, healthy, stored } = input;
  if (!Number.isInteger(shards) || shards < 1)
    throw new InvalidInput(`${shards} shards; at least 1 is needed`);
  if (!Number.isInteger(defaultInstances) || defaultInstances < 1) {
    throw new InvalidInput(`${defaultInstances} default instances; at least 1 is needed`);
  }
  if (healthy.length === 0) return { kind: 'refused', reason: 'no-healthy-node' };
  if (mode === 'none') {
    const [node] = pick(healthy, 1, input.random);
    return planned([{ item: 0, parameter: input.parameters[0] ?? '', node }], 'not-sharded', false);
  }
  const made = fresh(input);
  if (mode === 'dynamic') return planned(made, 'dynamic', false);
  if (stored === undefined) return planned(made, 'first-run', true);
  const reason = reshardReason(input, stored, made);
  if (reason !== undefined) return planned(made, reason, true);
  const kept = stored.map((place) => ({ ...place, parameter: input.parameters[place.item] ?? '' }));
  const renamed = kept.some((place, i) => place.parameter !== stored[i].parameter);
  return planned(kept, renamed ? 'parameters-changed' : 'stored', renamed);
}

function planned(plan: readonly ShardPlace[], reason: ShardPlanReason, store: boolean): ShardPlanChoice {
  return { kind: 'planned', plan, store, reason };
}

/** Why the stored plan gives way to the one just made, or undefined. */
function reshardReason(
  { shards, defaultInstances, healthy, failedOver = [] }: ShardPlanInput,
  stored: readonly ShardPlace[],
  made: readonly ShardPlace[],
): ShardPlanReason | undefined {
  if (stored.length !== shards) return 'shards-changed';
  const inUse = nodesOf(stored);
  // A shard whose node is gone must fail over too.
  if (failedOver.length > 0 || !inUse.isSubsetOf(new Set(healthy))) return 'failover';
  if (healthy.length >= defaultInstances && nodesOf(made).size > inUse.size) return 'more-instances';
  return undefined;
}

function nodesOf(plan: readonly ShardPlace[]): Set<string> {
  return new Set(plan.map((place) => place.node));
}

function fresh(input: ShardPlanInput): ShardPlace[] {
  const { shards, defaultInstances, healthy, job, parameters, strategy = 'average', random } = input;
  const servers = pick(healthy, Math.min(defaultInstances, healthy.length), random);
  return [...divide(strategy, { items: shards, servers, job })]
    .flatMap(([node, items]) => items.map((item) => ({ item, parameter: parameters[item] ?? '', node })))
    .sort((a, b) => a.item - b.item);
}

/** So many of the nodes, sorted: neighbours from a random one on, so that tasks spread over all nodes. */
function pick(nodes: readonly string[], count: number, random: number): string[] {
  const sorted = sortNodes(nodes);
  const first = Math.floor(random * sorted.length);
  return sortNodes(Array.from({ length: count }, (_, i) => sorted[(first + i) % sorted.length]));
}
