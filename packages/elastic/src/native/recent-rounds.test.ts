import { expect, it } from 'vitest';
import type { ShardOutcome } from '../board/board.ts';
import { RecentRounds } from './recent-rounds.ts';

const outcome = (shard: number, ok = true): ShardOutcome => ({
  shard,
  token: 1,
  ok,
  error: ok ? undefined : `shard ${shard}: ${'x'.repeat(500)}`,
  startedAt: 100 + shard,
  endedAt: 200,
  attempts: 1,
});
const numbers = (rounds: RecentRounds) => rounds.list.map(({ number }) => number);

it('keeps the last ten rounds with their numbers, older ones with fewer failures', () => {
  const rounds = new RecentRounds();
  const shards = Array.from({ length: 30 }, (_, shard) => outcome(shard, shard > 24));
  for (let k = 0; k < 12; k++) rounds.add(shards, { cause: 'tick', due: 50 }, 300);
  expect(numbers(rounds)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const [old] = rounds.list;
  expect(old).toMatchObject({ cause: 'tick', due: 50, startedAt: 100, at: 300, shards: '0-29' });
  expect([old.succeeded, old.failures, old.failed.length]).toEqual([5, 25, 3]);
  expect(rounds.list.at(-1)?.failed).toHaveLength(20);
  expect(JSON.stringify(rounds.list).length).toBeLessThan(16_000);
});

it('carries over to a new instance only what the old one could not store', () => {
  const rounds = new RecentRounds();
  for (let k = 0; k < 3; k++) rounds.add([outcome(k)], { cause: 'failover' }, 300 + k);
  rounds.stored(2);
  rounds.startOver();
  expect(rounds.list.map(({ number, shards }) => [number, shards])).toEqual([[1, '2']]);
  rounds.add([], { cause: 'tick' }, 400);
  expect(rounds.list.at(-1)).toMatchObject({ number: 2, startedAt: 400, shards: '', succeeded: 0 });
});
