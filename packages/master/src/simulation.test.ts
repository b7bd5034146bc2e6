import { ownershipSchema } from '@orrery/core/balance/schema';
import { type ClusterOptions, ClusterSim } from '@orrery/testkit/cluster-sim';
import { seeds } from '@orrery/testkit/tier';
import { describe, expect, it } from 'vitest';

const twentyNodes = { masters: 4, workers: 16, runs: 20, trouble: 60_000 };

async function playAll(
  seeds: readonly number[],
  options: Pick<
    ClusterOptions,
    'brokenFence' | 'brokenGate' | 'ownership' | 'registry' | 'doubledLeader'
  > = {},
): Promise<string[]> {
  const failures: string[] = [];
  for (const seed of seeds) {
    await ClusterSim.play(seed, { ...twentyNodes, ...options }).catch((error) => {
      failures.push(`seed ${seed}: ${error.message}`);
    });
  }
  return failures;
}

describe('a cluster of twenty nodes in trouble', () => {
  it('keeps every law, whatever the seed', { timeout: 1_200_000 }, async () => {
    expect(await playAll(seeds(50, 200))).toEqual([]);
  });

  it('keeps every law while masters claim schedules', { timeout: 600_000 }, async () => {
    const ownership = ownershipSchema.parse({ mode: 'claim', sweepEvery: 5_000 });
    expect(await playAll(seeds(4, 100), { ownership })).toEqual([]);
  });

  it('keeps every law by the plans of a leader, while the registry is in trouble too', {
    timeout: 900_000,
  }, async () => {
    expect(await playAll(seeds(5, 200), { registry: true })).toEqual([]);
  });

  it('is caught when two masters lead', { timeout: 300_000 }, async () => {
    const caught = await playAll([1], { registry: true, doubledLeader: true });
    expect(caught[0]).toMatch(/was written by somebody who does not lead|was written after plan/);
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
