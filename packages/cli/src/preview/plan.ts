/** `preview plan`: the ranges of schedules, by rank, that each master would fire. */
import { planRanges, type RangeStrategy } from '@orrery/core/shard';
import type { Preview } from './preview.ts';
import { table } from './table.ts';
import { readWeights } from './weights.ts';

export const plan: Preview = {
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
      json: { nodes: Object.fromEntries(ranges) },
      text: () =>
        table(
          [...ranges].map(([node, range]) =>
            range
              ? [node, `${range[0]} to ${range[1]}`, `${range[1] - range[0] + 1} schedules`]
              : [node, '-', ''],
          ),
        ),
    };
  },
};
