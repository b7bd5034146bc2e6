/**
 * Worker choice: which worker gets the next attempt. Busy and full workers are never chosen. A strategy is a
 * pure step: it takes what it remembered and a random number, and answers the worker and what to remember.
 */
import { rendezvous } from '../balance/rendezvous.ts';
import { InvalidInput } from '../errors.ts';

/**
 * How a worker group chooses, as people set it. `queue`: whoever asks first. `sticky`: all tasks of a run go to one
 * worker while that has room.
 */
export const groupChoices = ['queue', 'least-loaded', 'weighted', 'sticky'] as const;
export type GroupChoice = (typeof groupChoices)[number];

/** A worker as its last heartbeat and the open assignments show it. */
export interface WorkerLoad {
  readonly name: string;
  /** Said of itself that it is overloaded. */
  readonly busy: boolean;
  readonly slots: number;
  /** Slots taken; at `slots` the worker is full. */
  readonly used: number;
  /** Share of the work for `weighted`; 1 unless given. */
  readonly weight?: number;
  /** Use of the machine, 0 to 1. */
  readonly cpu: number;
  readonly memory: number;
}

/** What a strategy remembers between choices. Starts as `{}`; each strategy reads only its own part. */
export interface ChoiceMemory {
  /** round-robin: who was chosen last. */
  readonly last?: string;
  /** weighted: what each worker is still owed. */
  readonly owed?: ReadonlyMap<string, number>;
}

/** The chosen worker, undefined when none has room, and the memory for the next choice. */
export interface Choice {
  readonly worker: string | undefined;
  readonly memory: ChoiceMemory;
}

type Step = (open: readonly WorkerLoad[], memory: ChoiceMemory, random: number, key: string) => Choice;

/** The names of the strategies. */
export type WorkerChoice = keyof typeof steps;

const steps = {
  random: (open, memory, random) => ({ worker: open[Math.floor(random * open.length)].name, memory }),

  /** By name after the last one, so that workers may come and go between choices. */
  'round-robin': (open, { last = '' }) => {
    const names = open.map((worker) => worker.name).sort();
    const worker = names.find((name) => name > last) ?? names[0];
    return { worker, memory: { last: worker } };
  },

  /** Everyone is owed its weight at each choice; the one owed most is chosen and pays for all: no bursts. */
  weighted: (open, { owed = new Map<string, number>() }) => {
    const now = new Map(open.map((worker) => [worker.name, (owed.get(worker.name) ?? 0) + weightOf(worker)]));
    const [worker] = [...now].reduce((most, one) => (one[1] > most[1] ? one : most));
    const total = open.reduce((sum, one) => sum + weightOf(one), 0);
    now.set(worker, (now.get(worker) ?? 0) - total);
    return { worker, memory: { owed: now } };
  },

  /** The smallest load; the random number decides between equal ones. */
  'least-loaded': (open, memory, random) => {
    const loads = open.map(loadOf);
    const least = Math.min(...loads);
    const equal = open.filter((_, i) => loads[i] === least);
    return { worker: equal[Math.floor(random * equal.length)].name, memory };
  },

  /** The same for the same key, whoever asks, as long as it is open; no memory is needed for that. */
  sticky: (open, memory, _random, key) => ({
    worker: rendezvous(
      key,
      open.map(({ name }) => name),
    )[0],
    memory,
  }),
} as const satisfies Record<string, Step>;

/** Chooses a worker. `random` is in [0, 1); `key` names what should stay together. */
export function chooseWorker(
  strategy: WorkerChoice,
  workers: readonly WorkerLoad[],
  memory: ChoiceMemory,
  random: number,
  key = '',
): Choice {
  if (!Object.hasOwn(steps, strategy)) {
    throw new InvalidInput(
      `unknown worker choice "${strategy}"; there are: ${Object.keys(steps).join(', ')}`,
    );
  }
  const open = workers.filter((worker) => !worker.busy && worker.used < worker.slots);
  if (open.length === 0) return { worker: undefined, memory };
  return steps[strategy](open, memory, random, key);
}

/**
 * The load of a worker, 0 idle to 1 saturated: processor 30 %, memory 30 %, slots 40 %. Slots change with every
 * assignment, so a series of choices between two heartbeats does not all fall on one worker.
 */
function loadOf({ cpu, memory, used, slots }: WorkerLoad): number {
  return 0.3 * cpu + 0.3 * memory + (0.4 * used) / slots;
}

function weightOf({ name, weight = 1 }: WorkerLoad): number {
  if (weight > 0 && Number.isFinite(weight)) return weight;
  throw new InvalidInput(`weight ${weight} is not a number above 0`, `worker "${name}"`);
}
