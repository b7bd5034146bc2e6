import { describe, expect, it } from 'vitest';
import { byUrgency, firstShard } from './shard-runs.ts';

const shards = (...states: string[]) => states.map((state, shard) => ({ shard, state, attempt: 1 }));

describe('the shard one looks at first', () => {
  it.each([
    [['success', 'out', 'failed', 'failed'], 2],
    [['success', 'idle', 'out', 'out'], 2],
    [['success', 'retrying', 'success'], 1],
    [['success', 'success'], 0],
    [['idle', 'killed'], 0],
  ])('of %j is %i', (states, first) => {
    expect(firstShard(shards(...states))).toBe(first);
  });

  it('is none where there are no shards', () => {
    expect(firstShard([])).toBeNull();
  });
});

it('shards come with failures first, then those under way, each in their order', () => {
  const all = shards('success', 'out', 'failed', 'idle', 'failed', 'retrying', 'out');
  expect(byUrgency(all).map(({ shard }) => shard)).toEqual([2, 4, 1, 6, 5, 0, 3]);
});
