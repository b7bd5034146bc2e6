/** Strategies that a job may name: the built-in ones and those of the user. */
import { InvalidInput } from '@orrery/core/errors';
import type { Job } from '@orrery/core/model';
import { type StrategyName, strategies } from '@orrery/core/shard';
import type { ShardStrategy } from './board.ts';

/** A strategy of jobs with one shard: it moves to the next instance after each round. */
export const BALANCE = 'single-shard-balance';

/** Whether every instance knows this strategy. */
export function isBuiltIn(name: string): boolean {
  return name === BALANCE || Object.hasOwn(strategies, name);
}

/** Refuses a strategy that does not exist or does not fit; names of the user's own are given. */
export function checkStrategy(job: Job, own: Readonly<Record<string, ShardStrategy>> = {}): void {
  strategyOf(job, own);
}

/** The strategy a job names: the user's own first, then the built-in ones. */
export function strategyOf(
  { strategy: name, shards }: Job,
  own: Readonly<Record<string, ShardStrategy>>,
): StrategyName | typeof BALANCE | ShardStrategy {
  if (Object.hasOwn(own, name)) return own[name];
  if (name === BALANCE) {
    if (shards === 1) return BALANCE;
    throw new InvalidInput(`strategy "${BALANCE}" is for jobs with one shard; this one has ${shards}`);
  }
  if (Object.hasOwn(strategies, name)) return name as StrategyName;
  const known = [...Object.keys(strategies), BALANCE, ...Object.keys(own)];
  throw new InvalidInput(`unknown strategy "${name}"; there are: ${known.join(', ')}`);
}
