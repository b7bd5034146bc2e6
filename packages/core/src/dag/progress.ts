/**
 * Progress through a graph by counters: how many predecessors of a task are still open and how the others
 * ended decide whether it waits, is ready or is skipped. A verdict never changes once given, and each edge is
 * counted once, so a whole run costs tasks plus edges however it goes.
 */
import { IllegalTransition, InvalidInput } from '../errors.ts';
import type { Dag } from './graph.ts';

/**
 * When a task may run, seen from its predecessors (a task without any is ready, except by `one-failed`):
 *
 * | rule          | ready                                         | skipped                                 |
 * |---------------|-----------------------------------------------|-----------------------------------------|
 * | all-succeeded | all ended, at least one succeeded, none failed | one failed, or all ended and were skipped |
 * | all-done      | all ended, however                            | never                                   |
 * | one-failed    | one failed                                    | all ended, none failed                  |
 * | one-succeeded | one succeeded                                 | all ended, none succeeded               |
 * | none-failed   | all ended, none failed                        | one failed                              |
 *
 * A skipped predecessor does not stop `all-succeeded`, or a join could never follow a branch.
 */
export type TriggerRule = 'all-succeeded' | 'all-done' | 'one-failed' | 'one-succeeded' | 'none-failed';

/**
 * How a predecessor ended, as one successor sees it. It belongs to the edge: a switch ends as `succeeded` for
 * the branch it chose and as `skipped` for the others.
 */
export type Ending = 'succeeded' | 'failed' | 'skipped';

/** How many predecessors of one task are still open, and how the others ended. */
export interface Counters {
  open: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

/** What the counters of a waiting task say about it. */
export type Verdict = 'wait' | 'ready' | 'skip';

/** Applies a trigger rule. Ask only about a task that waits: further endings do not take a verdict back. */
export function judge(rule: TriggerRule, counters: Counters): Verdict {
  const { open, succeeded, failed, skipped } = counters;
  switch (rule) {
    case 'all-succeeded':
      if (failed > 0) return 'skip';
      if (open > 0) return 'wait';
      return succeeded > 0 || skipped === 0 ? 'ready' : 'skip';
    case 'all-done':
      return open > 0 ? 'wait' : 'ready';
    case 'one-failed':
      if (failed > 0) return 'ready';
      return open > 0 ? 'wait' : 'skip';
    case 'one-succeeded':
      if (succeeded > 0) return 'ready';
      if (open > 0) return 'wait';
      return failed + skipped === 0 ? 'ready' : 'skip';
    case 'none-failed':
      if (failed > 0) return 'skip';
      return open > 0 ? 'wait' : 'ready';
  }
}

/**
 * What the successors of a skipped task see: a failure it was skipped for stays a failure, so that nothing
 * beyond it runs as if all were well and a `one-failed` task far below still hears of it.
 */
export function endingOfSkipped(counters: Counters): Ending {
  return counters.failed > 0 ? 'failed' : 'skipped';
}

/**
 * What the successors of a task that is passed through (disabled, or out of the run's scope) see once all its
 * predecessors ended: the worst of them, as if they were their own predecessors.
 */
export function endingOfPassed(counters: Counters): Ending {
  if (counters.failed > 0) return 'failed';
  return counters.succeeded > 0 || counters.skipped === 0 ? 'succeeded' : 'skipped';
}

/** The tasks that one event made ready or skipped, each reported once in a run. */
export interface Step {
  ready: number[];
  skipped: number[];
}

const STATES = ['waiting', 'ready', 'ended', 'skipped', 'passed'] as const;
const WAITING = 0;
const READY = 1;
const ENDED = 2;
const SKIPPED = 3;
const PASSED = 4;

/**
 * The progress of one run over a graph without cycles, for simulation and tests.
 *
 *     waiting ── rule met ──► ready ── finish ──► ended
 *        ├────── rule can no longer be met ─────► skipped
 *        └────── passed through, all before ended ► passed
 */
export class Progress {
  readonly #dag: Dag;
  readonly #rules: readonly TriggerRule[] | undefined;
  readonly #passThrough: Uint8Array | undefined;
  readonly #state: Uint8Array;
  readonly #open: Int32Array;
  readonly #succeeded: Int32Array;
  readonly #failed: Int32Array;
  readonly #skipped: Int32Array;
  #started = false;
  #remaining: number;

  /** `rules` by task, all `all-succeeded` if left out; `passThrough` is 1 for each task not to be run. */
  constructor(dag: Dag, options: { rules?: readonly TriggerRule[]; passThrough?: Uint8Array } = {}) {
    const { rules, passThrough } = options;
    if ((rules?.length ?? dag.size) !== dag.size || (passThrough?.length ?? dag.size) !== dag.size) {
      throw new InvalidInput(`rules and passThrough need one entry for each of the ${dag.size} tasks`);
    }
    this.#dag = dag;
    this.#rules = rules;
    this.#passThrough = passThrough;
    this.#state = new Uint8Array(dag.size);
    this.#open = new Int32Array(dag.size);
    this.#succeeded = new Int32Array(dag.size);
    this.#failed = new Int32Array(dag.size);
    this.#skipped = new Int32Array(dag.size);
    this.#remaining = dag.size;
    for (let task = 0; task < dag.size; task++) {
      this.#open[task] = dag.predecessorStart[task + 1] - dag.predecessorStart[task];
    }
  }

  /** How many tasks have not ended, been skipped or passed; 0 means that the run is over. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Judges the roots, and what follows from them. */
  start(): Step {
    if (this.#started) throw new IllegalTransition('progress', 'started', 'start');
    this.#started = true;
    const step: Step = { ready: [], skipped: [] };
    const gone: number[] = [];
    const { size, predecessorStart } = this.#dag;
    for (let task = 0; task < size; task++) {
      if (predecessorStart[task] === predecessorStart[task + 1]) this.#look(task, step, gone);
    }
    this.#spread(step, gone);
    return step;
  }

  /** Ends a ready task, with one ending for all its successors or one for each. */
  finish(task: number, ending: Ending | ((successor: number) => Ending)): Step {
    if (this.#state[task] !== READY) {
      throw new IllegalTransition(`task ${task}`, STATES[this.#state[task]] ?? 'unknown', 'finish');
    }
    this.#state[task] = ENDED;
    this.#remaining--;
    const step: Step = { ready: [], skipped: [] };
    const gone: number[] = [];
    this.#tell(task, ending, step, gone);
    this.#spread(step, gone);
    return step;
  }

  /** Lets tasks that are gone without having run end for their successors, until no more follow. */
  #spread(step: Step, gone: number[]): void {
    for (let i = 0; i < gone.length; i++) {
      const task = gone[i];
      const counters = this.#counters(task);
      const ending = this.#state[task] === SKIPPED ? endingOfSkipped(counters) : endingOfPassed(counters);
      this.#tell(task, ending, step, gone);
    }
  }

  #tell(task: number, ending: Ending | ((successor: number) => Ending), step: Step, gone: number[]): void {
    const { successorStart, successor } = this.#dag;
    for (let i = successorStart[task]; i < successorStart[task + 1]; i++) {
      const after = successor[i];
      const seen = typeof ending === 'string' ? ending : ending(after);
      this.#open[after]--;
      if (seen === 'succeeded') this.#succeeded[after]++;
      else if (seen === 'failed') this.#failed[after]++;
      else this.#skipped[after]++;
      if (this.#state[after] === WAITING) this.#look(after, step, gone);
    }
  }

  #look(task: number, step: Step, gone: number[]): void {
    if (this.#passThrough?.[task] === 1) {
      if (this.#open[task] > 0) return;
      this.#state[task] = PASSED;
      gone.push(task);
      this.#remaining--;
      return;
    }
    const verdict = judge(this.#rules?.[task] ?? 'all-succeeded', this.#counters(task));
    if (verdict === 'ready') {
      this.#state[task] = READY;
      step.ready.push(task);
    } else if (verdict === 'skip') {
      this.#state[task] = SKIPPED;
      step.skipped.push(task);
      gone.push(task);
      this.#remaining--;
    }
  }

  #counters(task: number): Counters {
    return {
      open: this.#open[task],
      succeeded: this.#succeeded[task],
      failed: this.#failed[task],
      skipped: this.#skipped[task],
    };
  }
}
