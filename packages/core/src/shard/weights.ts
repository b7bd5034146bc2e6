/**
 * Weights of nodes: whole numbers, so that shares by weight are exact and the same on every node.
 */
import { InvalidInput } from '../errors.ts';

/** How much each node should carry compared with the others; a node that is not named has weight 1. */
export type Weights = ReadonlyMap<string, number>;

const HEAVIEST = 1_000_000;

/** The weights of these nodes, in their order. */
export function weightsOf(nodes: readonly string[], weights?: Weights): number[] {
  return nodes.map((node) => checkWeight(weights?.get(node) ?? 1, node));
}

/** The weight itself, or a refusal: products of weights and counts must stay exact. */
export function checkWeight(weight: number, node: string): number {
  if (!Number.isInteger(weight) || weight < 1 || weight > HEAVIEST) {
    throw new InvalidInput(`weight ${weight} is not a whole number from 1 to ${HEAVIEST}`, `node "${node}"`);
  }
  return weight;
}
