/**
 * Simulation by seed; stops at the first seed that breaks a law and says how to replay it.
 * `npm run sim -- [cluster] [--seed N] [--count M] [--nodes K]`: whole clusters with faults, in virtual time.
 * `npm run sim -- run [--seed N] [--count M] [--tasks K]`: single runs against failures, controls and crashes.
 * `npm run sim -- engine [--seed N] [--count M] [--tasks K]`: ten runs a seed through a real master and store, which
 * must end as the rules say, or keep the laws whatever people do.
 */
import { parseArgs } from 'node:util';
import { ClusterSim } from '@orrery/testkit/cluster-sim';
import { playModel } from '@orrery/testkit/engine-model';
import { Random } from '@orrery/testkit/random';
import { RunWorld } from '@orrery/testkit/run-world';
import { randomWorkflow } from '@orrery/testkit/workflows';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    nodes: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '16' },
  },
});
const [what = 'cluster'] = positionals;
const seed = whole('seed', values.seed);
const nodes = whole('nodes', values.nodes);
const tasks = whole('tasks', values.tasks);

const ends: Record<string, number> = {};
const begin = performance.now();
let count: number;
if (what === 'cluster') {
  count = whole('count', values.count ?? '200');
  await play(count, `--nodes ${nodes}`, async (next) => {
    const masters = Math.max(2, Math.round(nodes / 5));
    const options = { masters, workers: Math.max(2, nodes - masters), runs: nodes, trouble: 60_000 };
    const { states } = await ClusterSim.play(next, options);
    for (const [state, number] of Object.entries(states)) ends[state] = (ends[state] ?? 0) + number;
  });
} else if (what === 'run') {
  count = whole('count', values.count ?? '10000');
  await play(count, `--tasks ${tasks}`, async (next) => {
    const random = new Random(next);
    const world = new RunWorld(randomWorkflow(random, 1 + random.int(tasks)), random);
    world.start();
    world.play({ controls: 0.1, crashes: 0.05, failures: random.pick([0, 0.1, 0.4]) });
    const { state } = world.run.fields;
    ends[state] = (ends[state] ?? 0) + 1;
  });
} else if (what === 'engine') {
  count = whole('count', values.count ?? '1000');
  await play(count, `--tasks ${tasks}`, async (next) => {
    const states = await playModel(next, { runs: 10, tasks });
    for (const [state, number] of Object.entries(states)) ends[state] = (ends[state] ?? 0) + number;
  });
} else {
  console.error(`sim: "${what}" is neither cluster, run nor engine`);
  process.exit(2);
}
const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
console.log(
  `sim: ${count} seeds of ${what} from ${seed}, every law held, ${seconds} s: ${JSON.stringify(ends)}`,
);

async function play(total: number, options: string, one: (seed: number) => Promise<void>): Promise<void> {
  for (let next = seed; next < seed + total; next++) {
    try {
      await one(next);
    } catch (error) {
      console.error(error);
      console.error(
        `sim: seed ${next} breaks a law; replay it: npm run sim -- ${what} --seed ${next} --count 1 ${options}`,
      );
      process.exit(1);
    }
  }
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`sim: --${name} takes a whole number above 0, not "${text}"`);
  process.exit(2);
}
