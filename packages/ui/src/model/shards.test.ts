import { describe, expect, it } from 'vitest';
import { shardParts, shardTotal } from './shards.ts';

describe('the strip of shards', () => {
  it('has the states in one order, in the words of task runs', () => {
    expect(shardParts({ idle: 2, failed: 1, out: 3, success: 4 })).toEqual([
      ['success', 4],
      ['failed', 1],
      ['running', 3],
      ['pending', 2],
    ]);
  });

  it('keeps a state that it does not know, last', () => {
    expect(shardParts({ odd: 1, success: 1 })).toEqual([
      ['success', 1],
      ['odd', 1],
    ]);
  });

  it('is as long as there are shards', () => {
    expect(shardTotal({ idle: 2, success: 4 })).toBe(6);
    expect(shardTotal({})).toBe(0);
  });
});
