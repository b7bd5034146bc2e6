/** The division of a job's items among servers. */
import { divide, type StrategyName } from '../shard/index.ts';
import type { Preview } from './preview.ts';
import { readWeights } from './weights.ts';

const MOST_ITEMS = 1_000_000;
/** These strategies hash the job's name, so a forgotten name would give a wrong result. */
const BY_NAME = ['odevity', 'rotate', 'consistent-hash'];

export const shards: Preview<{ servers: Record<string, number[]> }> = {
  fields: ['strategy', 'items', 'servers', 'job', 'weights'],

  answer(fields) {
    const strategy = fields.text('strategy', 'average');
    const servers = fields.list('servers');
    const division = divide(strategy as StrategyName, {
      items: fields.whole('items', MOST_ITEMS),
      servers,
      job: BY_NAME.includes(strategy) ? fields.text('job') : fields.text('job', ''),
      weights: readWeights(fields, servers),
    });
    return { servers: Object.fromEntries([...division].map(([server, items]) => [server, [...items]])) };
  },
};
