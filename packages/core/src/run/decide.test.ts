import { Random } from '@orrery/testkit/random';
import { RunWorld } from '@orrery/testkit/run-world';
import { randomWorkflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

describe('any run', () => {
  it('reaches a final state whatever happens, and no task starts twice or early', () => {
    for (let seed = 1; seed <= 1_500; seed++) {
      const random = new Random(seed);
      const world = new RunWorld(randomWorkflow(random, 1 + random.int(12)), random);
      try {
        world.start();
        world.play({ controls: 0.1, crashes: 0.05, failures: random.pick([0, 0.1, 0.4]) });
        expect(world.ended).toBe(true);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
});
