import { describe, expect, it } from 'vitest';
import { BAND_CELLS, type BandShard, isShardSought, shardBands } from './shard-bands.ts';

const shard = (number: number, more: Partial<BandShard> = {}): BandShard => ({
  shard: number,
  parameter: '',
  owner: 'a',
  runner: null,
  state: 'ready',
  ...more,
});

describe('bands of shards', () => {
  it('are one for each instance, with neighbours in one state as one part', () => {
    const shards = [shard(0), shard(1), shard(2, { owner: 'b' }), shard(3, { state: 'disabled' })];
    expect(shardBands(shards, ['b', 'a', 'c'])).toEqual([
      {
        holder: 'b',
        isLive: true,
        count: 1,
        running: 0,
        stuck: 0,
        parts: [{ state: 'ready', from: 2, to: 3 }],
      },
      {
        holder: 'a',
        isLive: true,
        count: 3,
        running: 0,
        stuck: 0,
        parts: [
          { state: 'ready', from: 0, to: 2 },
          { state: 'disabled', from: 3, to: 4 },
        ],
      },
      { holder: 'c', isLive: true, count: 0, running: 0, stuck: 0, parts: [] },
    ]);
  });

  it('show a shard that was taken over at its owner and at the one that runs it', () => {
    const shards = [shard(0, { owner: 'gone', runner: 'a', state: 'running' }), shard(1)];
    expect(shardBands(shards, ['a'])).toMatchObject([
      { holder: 'a', count: 1, running: 1, parts: [{ state: 'running' }, { state: 'ready' }] },
      { holder: 'gone', isLive: false, count: 1, running: 0, parts: [{ state: 'ready' }] },
    ]);
  });

  it('end with owners that are gone and with what nobody owns', () => {
    const shards = [
      shard(0, { owner: null, state: 'unassigned' }),
      shard(1, { owner: 'gone', state: 'crashed' }),
      shard(2),
    ];
    const bands = shardBands(shards, ['a']);
    expect(bands.map(({ holder, stuck }) => [holder, stuck])).toEqual([
      ['a', 0],
      ['gone', 1],
      [null, 1],
    ]);
  });

  it('of ten thousand shards have few parts, and lose none that needs somebody', () => {
    const shards = Array.from({ length: 10_000 }, (_, i) =>
      shard(i, { owner: i % 2 === 0 ? 'a' : 'b', state: i === 4_321 ? 'crashed' : 'ready' }),
    );
    const bands = shardBands(shards, ['a', 'b']);
    for (const { parts } of bands) expect(parts.length).toBeLessThanOrEqual(BAND_CELLS);
    expect(bands[1].parts.filter(({ state }) => state === 'crashed')).toHaveLength(1);
    expect(bands[0].parts).toEqual([{ state: 'ready', from: 0, to: BAND_CELLS }]);
  });
});

it.each([
  ['7', true],
  ['5-9', true],
  ['8-9', false],
  ['beij', true],
  ['10.0.0.1@-@4', true],
  ['10.0.0.2@-@5', true],
  ['10.0.0.3@-@6', false],
  ['running', true],
  ['disabled', false],
  ['', true],
])('a search for "%s" finds the shard: %s', (sought, found) => {
  const one = shard(7, {
    parameter: 'beijing',
    owner: '10.0.0.1@-@4',
    runner: '10.0.0.2@-@5',
    state: 'running',
  });
  expect(isShardSought(one, sought)).toBe(found);
});
