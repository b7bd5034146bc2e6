import { Random } from '@orrery/testkit/random';
import { RunWorld } from '@orrery/testkit/run-world';
import { seeds } from '@orrery/testkit/tier';
import { randomWorkflow, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { Scope } from './index.ts';

/** Plays random runs; an error names its seed. */
function playMany(first: number, prepare: (world: RunWorld, random: Random) => Scope): void {
  for (const seed of seeds(750, 5_000, first)) {
    const random = new Random(seed);
    const dryRun = random.chance(0.05);
    const most = random.chance(0.5) ? 1 + random.int(3) : undefined;
    const world = new RunWorld(randomWorkflow(random, 1 + random.int(12)), random, { dryRun, most });
    try {
      world.start(prepare(world, random));
      world.play({ controls: 0.1, crashes: 0.05, failures: random.pick([0, 0.1, 0.4]) });
      expect(world.ended).toBe(true);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}

describe('any run', { timeout: 600_000 }, () => {
  it('reaches a final state whatever happens, and no task starts twice or early', () => {
    playMany(1, () => ({ kind: 'all', tasks: [] }));
  });

  it('does so also when it walks only a part of its graph', () => {
    playMany(10_001, (world, random) => {
      const tasks = Object.keys(world.states()).filter(() => random.chance(0.3));
      return { kind: random.pick(['from', 'to', 'only'] as const), tasks };
    });
  });
});

describe('an event that a run cannot take', () => {
  it('is an error with both names, never ignored', () => {
    const world = new RunWorld(workflow([task('a')]));
    world.start();
    expect(() => world.start()).toThrow('run: event "start" is not allowed in state "running"');
  });
});
