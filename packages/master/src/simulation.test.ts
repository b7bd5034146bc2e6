import { type ClusterOptions, ClusterSim } from '@orrery/testkit/cluster-sim';
import { seeds } from '@orrery/testkit/tier';
import { describe, expect, it } from 'vitest';

const twentyNodes = { masters: 4, workers: 16, runs: 20, trouble: 60_000 };

async function playAll(
  seeds: readonly number[],
  broken: Pick<ClusterOptions, 'brokenFence' | 'brokenGate'> = {},
): Promise<string[]> {
  const failures: string[] = [];
  for (const seed of seeds) {
    await ClusterSim.play(seed, { ...twentyNodes, ...broken }).catch((error) => {
      failures.push(`seed ${seed}: ${error.message}`);
    });
  }
  return failures;
}

describe('a cluster of twenty nodes in trouble', () => {
  it('keeps every law, whatever the seed', { timeout: 1_200_000 }, async () => {
    expect(await playAll(seeds(50, 200))).toEqual([]);
  });

  it('is caught when a fenced master may still write', { timeout: 300_000 }, async () => {
    const laws = /ran twice|while it runs on|succeeded \d+ times/;
    let caught = '';
    for (let seed = 1; seed <= 400 && !laws.test(caught); seed++)
      [caught = ''] = await playAll([seed], { brokenFence: true });
    expect(caught).toMatch(laws);
  });

  it('is caught when a master takes work that does not act', { timeout: 300_000 }, async () => {
    const laws = /is draining and took \d+|took \d+ (runs|ticks) \d+ ms after/;
    let caught = '';
    for (let seed = 1; seed <= 100 && !laws.test(caught); seed++)
      [caught = ''] = await playAll([seed], { brokenGate: true });
    expect(caught).toMatch(laws);
  });
});
