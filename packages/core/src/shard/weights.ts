/**
 * Weights of nodes: whole numbers, so that shares by weight are exact and the same on every node.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/** Relative capacity of nodes; a node without an entry has weight 1. */
export type Weights = ReadonlyMap<string, number>;

const HEAVIEST = 1_000_000;

/** Weights of these nodes, in order. */
export function weightsOf(nodes: readonly string[], weights?: Weights): number[] {
  return nodes.map((node) => checkWeight(weights?.get(node) ?? 1, node));
}

/** Returns the weight or refuses it: products of weights and counts must stay exact. */
export function checkWeight(weight: number, node: string): number {
  if (!Number.isInteger(weight) || weight < 1 || weight > HEAVIEST) {
    throw new InvalidInput(said('value.wholeWeight', { weight, most: HEAVIEST }), `node "${node}"`);
  }
  return weight;
}
