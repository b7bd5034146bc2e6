/** Weights of nodes as a preview's input. */
import { InvalidInput } from '../errors.ts';
import type { Weights } from '../shard/index.ts';
import { said } from '../texts/index.ts';
import type { Fields } from './fields.ts';

/** The weights by node; a weight of an unknown node is a typo, and refused. */
export function readWeights(fields: Fields, nodes: readonly string[]): Weights {
  const given = Object.entries(fields.record('weights'));
  const stranger = given.find(([node]) => !nodes.includes(node));
  if (stranger) throw new InvalidInput(said('preview.weightOfNobody', { name: stranger[0] }));
  return new Map(given.map(([node, weight]) => [node, Number(weight)]));
}
