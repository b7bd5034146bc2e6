/**
 * The shard plan of a sharded task: which shard runs on which node. A dynamic plan is made for every run. A
 * static plan is stored and reused, and remade only on the first run, after a failover, or if it uses fewer
 * nodes than wanted although enough are healthy.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { sortNodes } from './order.ts';
import { divide, type Strategy, type StrategyName } from './strategies.ts';

/** The node of one shard. */
export interface ShardPlace {
  readonly item: number;
  readonly parameter: string;
  readonly node: string;
}

/** Input of the decision. */
export interface ShardPlanInput {
  readonly mode: 'static' | 'dynamic' | 'none';
  /** Name that some strategies hash. */
  readonly job: string;
  readonly shards: number;
  /** One parameter per shard, from `parseItemParameters`. */
  readonly parameters: readonly string[];
  /** Desired number of nodes, if that many are healthy. */
  readonly defaultInstances: number;
  readonly healthy: readonly string[];
  readonly strategy?: StrategyName | Strategy;
  /** Static plan of the last run. */
  readonly stored?: readonly ShardPlace[];
  /** Shards that have run on other nodes than the stored plan says since it was stored. */
  readonly failedOver?: readonly number[];
  /** In [0, 1): chooses the nodes if not all healthy ones are used. */
  readonly random: number;
}

/** Reason for a plan; only `stored` reuses the last plan unchanged. */
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

/** Assigns the shards of one run to nodes. */
export function chooseShardPlan(input: ShardPlanInput): ShardPlanChoice {
  const { mode, shards, defaultInstances, healthy, stored } = input;
  if (!Number.isInteger(shards) || shards < 1)
    throw new InvalidInput(said('shard.atLeastOne', { count: shards }));
  if (!Number.isInteger(defaultInstances) || defaultInstances < 1) {
    throw new InvalidInput(said('shard.instances', { count: defaultInstances }));
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

/** Why the new plan replaces the stored one, or undefined. */
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

/** Picks `count` nodes, sorted: neighbours from a random one on, so that tasks spread over all nodes. */
function pick(nodes: readonly string[], count: number, random: number): string[] {
  const sorted = sortNodes(nodes);
  const first = Math.floor(random * sorted.length);
  return sortNodes(Array.from({ length: count }, (_, i) => sorted[(first + i) % sorted.length]));
}
