/**
 * Simulation by seed; stops at the first seed that breaks a law and says how to replay it. Seeds are spread over threads.
 * `npm run sim -- [cluster] [--seed N] [--count M] [--nodes K]`: whole clusters with faults, in virtual time; those of
 * even seeds with a registry, every third one in claim mode. `--log` prints what the masters say.
 * `npm run sim -- run [--seed N] [--count M] [--tasks K]`: single runs against failures, controls and crashes.
 * `npm run sim -- engine [--seed N] [--count M] [--tasks K]`: ten runs a seed through a real master and store, which
 * must end as the rules say, or keep the laws whatever people do.
 * `npm run sim -- scale [--nodes K] [--masters M] [--schedules S] [--minutes T]`: what coordination costs a large cluster.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { ownershipSchema } from '@orrery/core/balance/schema';
import { ClusterSim } from '@orrery/testkit/cluster-sim';
import { playModel } from '@orrery/testkit/engine-model';
import { Random } from '@orrery/testkit/random';
import { RunWorld } from '@orrery/testkit/run-world';
import { type ScaleReport, ScaleSim } from '@orrery/testkit/scale-sim';
import { randomWorkflow } from '@orrery/testkit/workflows';

/** How runs ended: how many in each state. */
type Ends = Record<string, number>;

interface Game {
  readonly count: number;
  /** What a replay has to repeat beside the seed. */
  readonly options: string;
  play(seed: number): Promise<Ends>;
}

const PROGRESS_EVERY = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    nodes: { type: 'string' },
    masters: { type: 'string' },
    schedules: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '60' },
    tasks: { type: 'string', default: '16' },
    threads: { type: 'string', default: `${availableParallelism()}` },
    log: { type: 'boolean', default: false },
  },
});
const [what = 'cluster'] = positionals;
const seed = whole('seed', values.seed);
const nodes = whole('nodes', values.nodes ?? (what === 'scale' ? '1000' : '100'));
const tasks = whole('tasks', values.tasks);

const games: Record<string, Game> = {
  cluster: {
    count: 1_000,
    options: `--nodes ${nodes}`,
    play: async (next) => {
      const masters = Math.max(2, Math.round(nodes / 5));
      const { states } = await ClusterSim.play(next, {
        masters,
        workers: Math.max(2, nodes - masters),
        runs: nodes,
        trouble: 60_000,
        registry: next % 2 === 0,
        ownership: next % 3 === 0 ? ownershipSchema.parse({ mode: 'claim', sweepEvery: 5_000 }) : undefined,
        log: values.log ? console.log : undefined,
      });
      return states;
    },
  },
  run: {
    count: 10_000,
    options: `--tasks ${tasks}`,
    play: async (next) => {
      const random = new Random(next);
      const world = new RunWorld(randomWorkflow(random, 1 + random.int(tasks)), random);
      world.start();
      world.play({ controls: 0.1, crashes: 0.05, failures: random.pick([0, 0.1, 0.4]) });
      return { [world.run.fields.state]: 1 };
    },
  },
  engine: {
    count: 1_000,
    options: `--tasks ${tasks}`,
    play: (next) => playModel(next, { runs: 10, tasks }),
  },
};

const game = games[what];
if (what === 'scale') {
  await playScale();
  process.exit(0);
}
if (!game) {
  console.error(`sim: "${what}" is none of ${Object.keys(games).join(', ')}, scale`);
  process.exit(2);
}
if (isMainThread) await playAll(game);
else answerSeeds(game);

async function playAll({ count: most, options, play }: Game): Promise<void> {
  const count = whole('count', values.count ?? `${most}`);
  const threads = Math.min(count, whole('threads', values.threads));
  const begin = performance.now();
  const ends: Ends = {};
  let next = seed;
  let played = 0;
  const drain = async (one: (seed: number) => Promise<Ends>) => {
    while (next < seed + count) {
      const current = next++;
      const states = await one(current).catch((error) => {
        console.error(error);
        console.error(
          `sim: seed ${current} breaks a law; replay it: npm run sim -- ${what} --seed ${current} --count 1 ${options}`,
        );
        process.exit(1);
      });
      for (const [state, number] of Object.entries(states)) ends[state] = (ends[state] ?? 0) + number;
      if (++played % PROGRESS_EVERY === 0 && played < count)
        console.error(`sim: ${played} of ${count} seeds, ${seconds(begin)} s`);
    }
  };
  if (threads === 1) await drain(play);
  else await Promise.all(Array.from({ length: threads }, () => drain(threadPlayer())));
  console.log(
    `sim: ${count} seeds of ${what} from ${seed}, every law held, ${seconds(begin)} s: ${JSON.stringify(ends)}`,
  );
  process.exit(0);
}

async function playScale(): Promise<void> {
  const masters = whole('masters', values.masters ?? String(Math.max(2, Math.round(nodes / 10))));
  const minutes = whole('minutes', values.minutes);
  const schedules = whole('schedules', values.schedules);
  const begin = performance.now();
  console.log(`sim: ${masters} masters, ${nodes - masters} workers, ${schedules} schedules`);
  const tell = (report: ScaleReport) => console.log(`sim: ${seconds(begin)} s ${JSON.stringify(report)}`);
  await ScaleSim.play({
    ...{ seed, masters, workers: Math.max(0, nodes - masters), schedules, minutes },
    progress: (_minute, report) => tell(report),
  });
}

/** Plays seeds in a thread of its own, one after the other. */
function threadPlayer(): (seed: number) => Promise<Ends> {
  const thread = new Worker(import.meta.filename, { argv: process.argv.slice(2) });
  return (next) =>
    new Promise((resolve, reject) => {
      thread.once('message', ({ states, error }: { states?: Ends; error?: Error }) =>
        states ? resolve(states) : reject(error),
      );
      thread.postMessage(next);
    });
}

function answerSeeds({ play }: Game): void {
  parentPort?.on('message', (next: number) =>
    play(next).then(
      (states) => parentPort?.postMessage({ states }),
      (error) => parentPort?.postMessage({ error }),
    ),
  );
}

function seconds(begin: number): string {
  return ((performance.now() - begin) / 1_000).toFixed(1);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`sim: --${name} takes a whole number above 0, not "${text}"`);
  process.exit(2);
}
