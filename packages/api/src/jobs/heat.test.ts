import { expect, it } from 'vitest';
import { heatOf } from './heat.ts';

const round = (
  cause: 'tick' | 'trigger' | 'misfire' | 'failover',
  startedAt: number,
  shards: string,
  more = {},
) => ({
  cause,
  startedAt,
  at: startedAt + 100,
  due: cause === 'tick' ? Math.floor(startedAt / 1_000) * 1_000 : undefined,
  shards,
  succeeded: 0,
  failures: 0,
  failed: [],
  failedShards: '',
  ...more,
});

it('joins the rounds of all instances at a tick, and what was taken over after it', () => {
  const rounds = [
    round('failover', 3_900, '4-5'),
    round('tick', 3_010, '0-3', { failedShards: '2' }),
    round('tick', 2_050, '4-7'),
    round('tick', 2_010, '0-3'),
    round('tick', 3_020, '6-7'),
  ];
  expect(heatOf(rounds, 8)).toEqual([
    { at: 2_000, cause: 'tick', took: 140, succeeded: '0-7', failed: '', takenOver: '' },
    { at: 3_000, cause: 'tick', took: 990, succeeded: '0-1,3,6-7', failed: '2', takenOver: '4-5' },
  ]);
});

it('has a column for each trigger, whoever began a little later', () => {
  const rounds = [
    round('trigger', 10_000, '0-1'),
    round('trigger', 10_900, '2-3', { failedShards: undefined, failed: [{ shard: 3, error: 'no disk' }] }),
    round('trigger', 20_000, '0-3'),
  ];
  expect(heatOf(rounds, 4).map(({ at, succeeded, failed }) => [at, succeeded, failed])).toEqual([
    [10_000, '0-2', '3'],
    [20_000, '0-3', ''],
  ]);
});

it('keeps the last sixty ticks, without shards that the job has no more', () => {
  const rounds = Array.from({ length: 70 }, (_, i) => round('tick', i * 1_000, '0-9'));
  const ticks = heatOf(rounds, 4);
  expect(ticks).toHaveLength(60);
  expect(ticks[0]).toMatchObject({ at: 10_000, succeeded: '0-3' });
});
