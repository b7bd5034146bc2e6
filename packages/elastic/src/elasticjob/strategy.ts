/** The strategy of a job in the layout of ElasticJob: those that need a record of the last division are refused. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import type { StrategyName } from '@orrery/core/shard';
import type { ShardStrategy } from '../board/board.ts';
import { BALANCE, strategyOf } from '../board/strategy.ts';

/** The strategy a job names; throws for one that cannot be used here. */
export function strategyHere(
  job: Job,
  own: Readonly<Record<string, ShardStrategy>>,
): StrategyName | ShardStrategy {
  const strategy = strategyOf(job, own);
  if (strategy === BALANCE)
    throw new InvalidInput(`strategy "${BALANCE}" is not supported in the layout of ElasticJob`);
  return strategy;
}
