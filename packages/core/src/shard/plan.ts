/**
 * The plan: the leader's decision which master fires which schedules, as plain data for the registry. A
 * `scope` plan names an owner for every id, by ranges or by a ring. A `claim` plan names none: masters claim
 * schedules from the store. A plan's number is the previous one plus one, and is not an epoch of the store.
 */
import * as z from 'zod';
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { checkDistinct, sortNodes } from './order.ts';
import { cutFault, ownerInRanges, planRanges, type RangeStrategy, rangesToIds } from './ranges.ts';
import { ring, VIRTUAL_NODES } from './ring.ts';
import type { Weights } from './weights.ts';

/** More points per node would take memory without making shares more even. */
const MOST_VIRTUAL_NODES = 10_000;

const base = { number: z.int().min(1), nodes: z.array(z.string().min(1)) };
const rangePlan = z.object({
  ...base,
  mode: z.literal('scope'),
  strategy: z.string().min(1),
  ranges: z.object({ owners: z.array(z.string()), cuts: z.array(z.number()) }),
});
const ringPlan = z.object({
  ...base,
  mode: z.literal('scope'),
  strategy: z.literal('consistent-hash'),
  ring: z.object({ virtualNodes: z.int().min(1).max(MOST_VIRTUAL_NODES) }),
});
const claimPlan = z.object({ ...base, mode: z.literal('claim') });
// Unknown fields are dropped, not refused: a newer leader may write fields that this node does not know.
const anyPlan = z.union([rangePlan, ringPlan, claimPlan]);

/** A plan in any of its three forms; `nodes` are the masters it was made for, sorted. */
export type Plan = Readonly<z.infer<typeof anyPlan>>;

/** Makes a plan with a strategy that cuts ranges. `idAt` returns the id at a rank, from 1 to `total`. */
export function planByRange(input: {
  number: number;
  strategy: RangeStrategy;
  nodes: readonly string[];
  total: number;
  idAt: (rank: number) => number;
  weights?: Weights;
}): Plan {
  const { number, strategy, nodes, total, idAt, weights } = input;
  const { owners, cuts } = rangesToIds(planRanges(strategy, total, nodes, weights), idAt);
  return {
    number,
    mode: 'scope',
    strategy: typeof strategy === 'string' ? strategy : strategy.name,
    nodes: sortNodes(nodes),
    ranges: { owners: [...owners], cuts: [...cuts] },
  };
}

/** Makes a plan that needs no ids: the ring's parameters are the plan. */
export function planByRing(number: number, nodes: readonly string[], virtualNodes = VIRTUAL_NODES): Plan {
  checkDistinct(nodes);
  if (!Number.isInteger(virtualNodes) || virtualNodes < 1 || virtualNodes > MOST_VIRTUAL_NODES) {
    throw new InvalidInput(said('plan.virtualNodes', { count: virtualNodes, most: MOST_VIRTUAL_NODES }));
  }
  return {
    number,
    mode: 'scope',
    strategy: 'consistent-hash',
    nodes: sortNodes(nodes),
    ring: { virtualNodes },
  };
}

/**
 * Returns a look-up of owners under a plan; keep it, because a ring is built once, here. The look-up returns
 * undefined for a claim plan and for a plan without nodes.
 */
export function ownersOf(plan: Plan): (id: number) => string | undefined {
  if (plan.mode === 'claim') return () => undefined;
  if ('ranges' in plan) return (id) => ownerInRanges(plan.ranges, id);
  const owner = ring(plan.nodes, plan.ring.virtualNodes);
  return (id) => owner(String(id));
}

/** The owner of one schedule; for many, keep `ownersOf(plan)`. */
export function ownerOf(plan: Plan, id: number): string | undefined {
  return ownersOf(plan)(id);
}

/** Parses a plan from the registry; refuses an invalid or inconsistent one. */
export function parsePlan(text: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidInput(said('plan.notJson'), 'plan');
  }
  const read = anyPlan.safeParse(value);
  if (!read.success) {
    throw new InvalidInput(said('plan.incomplete'), 'plan');
  }
  const faults = planFaults(read.data, read.data.nodes);
  if (faults.length > 0) throw new InvalidInput(faults.join('; '), 'plan');
  return read.data;
}

/** Reasons why a plan does not give every schedule exactly one live owner; empty for a good plan. */
export function planFaults(plan: Plan, live: readonly string[]): string[] {
  const faults: string[] = [];
  const alive = new Set(live);
  for (const node of plan.nodes) if (!alive.has(node)) faults.push(`node "${node}" is not alive`);
  if (new Set(plan.nodes).size !== plan.nodes.length) faults.push('a node is listed twice');
  if (!('ranges' in plan)) return faults;
  const { owners, cuts } = plan.ranges;
  if (new Set(owners).size !== owners.length) faults.push('an owner has two ranges');
  for (const owner of owners) if (!plan.nodes.includes(owner)) faults.push(`owner "${owner}" is no node`);
  if (owners.length === 0 && plan.nodes.length > 0) faults.push('no node owns anything');
  if (cuts.length !== Math.max(owners.length - 1, 0)) {
    faults.push(`${owners.length} owners with ${cuts.length} cuts between them`);
  }
  const fault = cutFault(cuts);
  if (fault) faults.push(fault);
  return faults;
}

/** A short hash of a plan's contents: nodes with the same plan report the same hash. */
export function planHash(plan: Plan): string {
  const { number, mode, nodes } = plan;
  const rest =
    plan.mode === 'claim'
      ? []
      : 'ranges' in plan
        ? [plan.strategy, plan.ranges.owners, plan.ranges.cuts]
        : [plan.strategy, plan.ring.virtualNodes];
  const text = JSON.stringify([number, mode, nodes, ...rest]);
  // FNV-1a twice, from both ends: it detects differences, and need not resist forgery.
  let [low, high] = [0x811c9dc5, 0x9e3779b1];
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(text.length - 1 - i), 0x01000193);
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
