/**
 * Worker choice: which worker gets the next attempt. Busy and full workers are never chosen. A strategy is a
 * pure step: from its memory and a random number it computes the worker and its new memory.
 */
import { rendezvous } from '../balance/rendezvous.ts';
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/**
 * Choice setting of a worker group. `queue`: the first worker that asks. `sticky`: all tasks of a run go to
 * one worker while it has room.
 */
export const groupChoices = ['queue', 'least-loaded', 'weighted', 'sticky'] as const;
export type GroupChoice = (typeof groupChoices)[number];

/** A worker's load by its last heartbeat and open assignments. */
export interface WorkerLoad {
  readonly name: string;
  /** Whether it reports itself overloaded. */
  readonly busy: boolean;
  readonly slots: number;
  /** Slots taken; at `slots` the worker is full. */
  readonly used: number;
  /** Share of the work for `weighted`; default 1. */
  readonly weight?: number;
  /** Use of the machine, 0 to 1. */
  readonly cpu: number;
  readonly memory: number;
}

/** Memory of a strategy between choices. Starts as `{}`; each strategy reads only its own part. */
export interface ChoiceMemory {
  /** round-robin: the last chosen worker. */
  readonly last?: string;
  /** weighted: the credit of each worker. */
  readonly owed?: ReadonlyMap<string, number>;
}

/** The chosen worker, undefined if none has room, and the memory for the next choice. */
export interface Choice {
  readonly worker: string | undefined;
  readonly memory: ChoiceMemory;
}

type Step = (open: readonly WorkerLoad[], memory: ChoiceMemory, random: number, key: string) => Choice;

/** Names of the strategies. */
export type WorkerChoice = keyof typeof steps;

const steps = {
  random: (open, memory, random) => ({ worker: open[Math.floor(random * open.length)].name, memory }),

  /** The next by name after the last one, so workers may come and go between choices. */
  'round-robin': (open, { last = '' }) => {
    const names = open.map((worker) => worker.name).sort();
    const worker = names.find((name) => name > last) ?? names[0];
    return { worker, memory: { last: worker } };
  },

  /**
   * Each choice credits every worker its weight; the one with the highest credit is chosen and pays for all,
   * which avoids bursts.
   */
  weighted: (open, { owed = new Map<string, number>() }) => {
    const now = new Map(open.map((worker) => [worker.name, (owed.get(worker.name) ?? 0) + weightOf(worker)]));
    const [worker] = [...now].reduce((most, one) => (one[1] > most[1] ? one : most));
    const total = open.reduce((sum, one) => sum + weightOf(one), 0);
    now.set(worker, (now.get(worker) ?? 0) - total);
    return { worker, memory: { owed: now } };
  },

  /** The smallest load; the random number breaks ties. */
  'least-loaded': (open, memory, random) => {
    const loads = open.map(loadOf);
    const least = Math.min(...loads);
    const equal = open.filter((_, i) => loads[i] === least);
    return { worker: equal[Math.floor(random * equal.length)].name, memory };
  },

  /** The same worker for the same key while it is open, for every caller; needs no memory. */
  sticky: (open, memory, _random, key) => ({
    worker: rendezvous(
      key,
      open.map(({ name }) => name),
    )[0],
    memory,
  }),
} as const satisfies Record<string, Step>;

/** Chooses a worker. `random` is in [0, 1); `key` identifies what should stay together. */
export function chooseWorker(
  strategy: WorkerChoice,
  workers: readonly WorkerLoad[],
  memory: ChoiceMemory,
  random: number,
  key = '',
): Choice {
  if (!Object.hasOwn(steps, strategy)) {
    throw new InvalidInput(said('task.workerChoice', { name: strategy, names: Object.keys(steps) }));
  }
  const open = workers.filter((worker) => !worker.busy && worker.used < worker.slots);
  if (open.length === 0) return { worker: undefined, memory };
  return steps[strategy](open, memory, random, key);
}

/**
 * The load of a worker, 0 idle to 1 saturated: CPU 30 %, memory 30 %, slots 40 %. Slots change with every
 * assignment, so that choices between two heartbeats do not all fall on one worker.
 */
function loadOf({ cpu, memory, used, slots }: WorkerLoad): number {
  return 0.3 * cpu + 0.3 * memory + (0.4 * used) / slots;
}

function weightOf({ name, weight = 1 }: WorkerLoad): number {
  if (weight > 0 && Number.isFinite(weight)) return weight;
  throw new InvalidInput(said('value.weight', { weight }), `worker "${name}"`);
}
