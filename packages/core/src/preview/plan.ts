/** The ranges of schedules, by rank, that each master would fire. */
import { planRanges, type RangeStrategy } from '../shard/index.ts';
import type { Preview } from './preview.ts';
import { readWeights } from './weights.ts';

export const plan: Preview<{ nodes: Record<string, [number, number] | null> }> = {
  fields: ['strategy', 'total', 'nodes', 'weights'],

  answer(fields) {
    const nodes = fields.list('nodes');
    const ranges = planRanges(
      fields.text('strategy', 'range') as RangeStrategy,
      fields.whole('total', Number.MAX_SAFE_INTEGER),
      nodes,
      readWeights(fields, nodes),
    );
    return {
      nodes: Object.fromEntries([...ranges].map(([node, range]) => [node, range && [range[0], range[1]]])),
    };
  },
};
