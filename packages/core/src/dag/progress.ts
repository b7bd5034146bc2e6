/**
 * Progress through a graph by counters. Each edge is counted once and each task judged only while it waits,
 * so a run takes time linear in tasks plus edges.
 */
import { IllegalTransition, InvalidInput } from '../errors.ts';
import type { TriggerRule } from '../model/glossary.ts';
import type { Dag } from './graph.ts';
import { type Counters, type Ending, endingOfPassed, endingOfSkipped, judge } from './trigger-rule.ts';

/** Tasks made ready or skipped by one event; each is reported once per run. */
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

  /** `rules` by task, all `all-succeeded` if omitted; `passThrough` is 1 for each task that must not run. */
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

  /** Number of tasks not ended, skipped or passed; 0 means that the run is over. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Judges the roots, and every task that depends only on the result. */
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

  /** Ends tasks that are gone without having run for their successors, until no more follow. */
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
