/**
 * `npm run sim -- [--seed N] [--runs M] [--tasks K]`: plays random runs in a world of failures, controls and
 * crashes, each from its own seed, and stops at the first that breaks a law. `--runs 1 --seed N` replays one.
 */
import { parseArgs } from 'node:util';
import { Random } from '@orrery/testkit/random';
import { RunWorld } from '@orrery/testkit/run-world';
import { randomWorkflow } from '@orrery/testkit/workflows';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '16' },
  },
});
const [seed, runs, tasks] = [values.seed, values.runs, values.tasks].map(Number);
if (![seed, runs, tasks].every((value) => Number.isSafeInteger(value) && value > 0)) {
  console.error('sim: --seed, --runs and --tasks take whole numbers above 0');
  process.exit(2);
}

const ends: Record<string, number> = {};
const begin = performance.now();
for (let next = seed; next < seed + runs; next++) {
  const random = new Random(next);
  const world = new RunWorld(randomWorkflow(random, 1 + random.int(tasks)), random);
  try {
    world.start();
    world.play({ controls: 0.1, crashes: 0.05, failures: random.pick([0, 0.1, 0.4]) });
  } catch (error) {
    console.error(error);
    console.error(
      `sim: seed ${next} breaks a law; replay it with: npm run sim -- --seed ${next} --runs 1 --tasks ${tasks}`,
    );
    process.exit(1);
  }
  const { state } = world.run.fields;
  ends[state] = (ends[state] ?? 0) + 1;
}
const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
console.log(
  `sim: ${runs} runs from seed ${seed}, at most ${tasks} tasks each, all ended in ${seconds} s: ${JSON.stringify(ends)}`,
);
