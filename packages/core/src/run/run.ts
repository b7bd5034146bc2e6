/**
 * A run in memory: its plan, the state of each task run, and the counters that show what is ready. It can be
 * rebuilt from committed data. Only `apply` (in `apply.ts`) changes it. Untouched tasks share one object, so
 * a run's memory follows what it has done.
 */

import { type Counters, judge, predecessors, topologicalOrder, type Verdict } from '../dag/index.ts';
import type { FailureStrategy, Parameters, Priority } from '../model/index.ts';
import type { SeriesList, SeriesProgress } from '../series/index.ts';
import { type RunState, runMachine, type TaskState, taskMachine } from '../state/index.ts';
import type { BackfillRequest } from './backfill.ts';
import { type Ending, endingOf } from './ending.ts';
import type { Plan } from './plan.ts';
import { type Pool, poolOf } from './pool.ts';

/** Why an attempt was called back; determines the meaning of its end. */
export type Cause = 'pause' | 'stop' | 'kill' | 'cut' | 'timeout' | 'queue' | 'no-worker';

/** One shard of a task run, or the task run itself if it has no shards. */
export interface ShardRun {
  /** `idle`: no attempt open; `out`: one is queued or assigned; `retrying`: waits until `due`. */
  readonly state: 'idle' | 'out' | 'retrying' | 'success' | 'failed' | 'killed';
  /** Number of the last attempt; continues across rounds. */
  readonly attempt: number;
  /** Failed and lost attempts of this round. */
  readonly failures: number;
  readonly lost: number;
  readonly due?: number;
  /** When the open attempt was queued or, once it has a worker, taken: its time limits count from here. */
  readonly since?: number;
  /** People were alerted that the open attempt runs too long. */
  readonly warned?: true;
  /** The open attempt is being called back. */
  readonly cause?: Cause;
  /** Worker of the open attempt, or of the last one. */
  readonly worker?: string;
  readonly outputs?: Parameters;
  readonly error?: string;
}

/** A child run as its parent's task run knows it; `round` is the parent's round that started it. */
interface ChildRun {
  readonly round: number;
  readonly state: 'open' | 'paused' | 'success' | 'failed' | 'stopped';
}

/** Progress of a series of child runs; its elements keep the parent's round that started them. */
export interface SeriesRun extends SeriesProgress {
  readonly round: number;
  /** Steps of elements past their first workflow, and of elements whose next child run has not started. */
  readonly steps?: Readonly<Record<number, number>>;
  readonly due?: readonly number[];
  /** How many elements are open at once, if changed. */
  readonly parallel?: number;
}

/** Input of a series. */
export interface SeriesInput {
  /** The lists it combines; none for a backfill, whose times are in its spec. */
  readonly lists: readonly SeriesList[];
  /** Parameters of every child. */
  readonly params: Parameters;
}

/** One task in one run. */
export interface TaskRun {
  readonly state: TaskState;
  /** The last round this task was part of; 0 before the first. */
  readonly round: number;
  /** When it entered this state. */
  readonly since: number;
  /** When it left `pending` in this round; after a delay, when the delay ended. */
  readonly started?: number;
  /** End of the delay before it is queued. */
  readonly due?: number;
  readonly shards: readonly ShardRun[];
  readonly outputs?: Parameters;
  /** Successors chosen by a logic task; the edges to others end as skipped. */
  readonly branch?: readonly number[];
  /** The ending of a skipped or passed task for its successors. */
  readonly ending?: Ending;
  readonly child?: ChildRun;
  readonly series?: SeriesRun;
  /** Fixed when the series begins, so that later outputs and parameters do not change its elements. */
  readonly input?: SeriesInput;
  /** For an approval: its question, fixed when it begins. */
  readonly question?: { readonly message: string; readonly defaults: Parameters };
  /** Why it failed, was skipped or was killed, for people. */
  readonly reason?: string;
  readonly forced?: true;
  /** People were alerted that it waits too long. */
  readonly warned?: true;
  /** For a logic task: the pauses of its wait in milliseconds; its time limit excludes them. */
  readonly pausedFor?: number;
  /** Values from upstream tasks; derived, never stored. */
  readonly pool?: Pool;
}

/** A trigger that started a run. */
interface RunCause {
  readonly trigger: string;
  /** The ended run that caused it, and `project/name` of its workflow; absent for a webhook. */
  readonly run?: number;
  readonly workflow?: string;
  /** Number of consecutive triggers that led here. */
  readonly chain: number;
}

/** The request that started a run; never changes, except `params` by a control while it is paused. */
export interface RunRequest {
  readonly id: number;
  readonly project: string;
  readonly priority: Priority;
  readonly onFailure: FailureStrategy;
  readonly businessTime: number;
  readonly timezone: string;
  readonly dryRun: boolean;
  /** Whether it counts as a run of its workflow (`countsAsRun`); default: unless it is a dry run. */
  readonly counts?: boolean;
  /** Nesting of sub-workflows above this run. */
  readonly depth: number;
  /** The trigger that started it. */
  readonly cause?: RunCause;
  /** The run that it replays. */
  readonly replayOf?: number;
  /** It belongs to a backfill: its end starts nothing by itself. */
  readonly silent?: true;
  /** For a backfill: what it runs in place of its workflow's tasks. */
  readonly backfill?: BackfillRequest;
}

/**
 * Whether a run counts for dependents, triggers, deadlines, needs and statistics. A dry run and a partial run
 * do not, unless their start asked for it.
 */
export function countsAsRun({ counts, dryRun }: Pick<RunRequest, 'counts' | 'dryRun'>): boolean {
  return counts ?? !dryRun;
}

/** Parameters that a run inherits: those of its project, with those of all projects as defaults. */
export interface GivenParameters {
  readonly cluster?: Parameters;
  readonly project?: Parameters;
}

/** How a round began. */
export type RoundKind = 'start' | 'rerun' | 'recover';

/** The fields of a run, one row in the store. */
export interface RunFields {
  readonly state: RunState;
  readonly since: number;
  readonly round: number;
  readonly roundKind: RoundKind;
  readonly roundStarted: number;
  /** Tasks that this round starts regardless of their predecessors. */
  readonly picked: readonly number[];
  readonly params: Parameters;
  /** Their values when the round began, so that all its tasks read the same; absent: none. */
  readonly given?: GivenParameters;
  /** Why it was cut (`failing`) or set aside (`broken`). */
  readonly reason?: string;
  /** People were alerted that this round takes too long. */
  readonly warned?: true;
  /** Paused before it started: a resume makes it wait for its turn again. */
  readonly unstarted?: true;
  /** Start of the current pause, and the total of earlier pauses of this round, in milliseconds. */
  readonly pausedAt?: number;
  readonly paused?: number;
}

/** Number of task runs in each state. */
export type Tally = Readonly<Record<TaskState, number>>;

/** A run in memory. */
export interface Run {
  readonly plan: Plan;
  readonly request: RunRequest;
  fields: RunFields;
  readonly tasks: TaskRun[];
  readonly counters: Counters[];
  tally: Tally;
  /**
   * Tasks whose turn it is but that no decision has begun: a decision begins a limited number, `more`
   * continues.
   */
  agenda: readonly number[];
}

/** The initial state of every task, in the first round. */
const untouched: TaskRun = { state: 'pending', round: 1, since: 0, shards: [] };

/** A run created but not yet started. */
export function createRun(plan: Plan, request: RunRequest, params: Parameters, now: number): Run {
  const size = plan.tasks.length;
  const byDegree: Counters[] = [];
  return {
    plan,
    request,
    fields: {
      state: 'waiting',
      since: now,
      round: 1,
      roundKind: 'start',
      roundStarted: now,
      picked: [],
      params,
    },
    tasks: new Array<TaskRun>(size).fill(untouched),
    counters: Array.from({ length: size }, (_, i) => {
      const open = predecessors(plan.dag, i).length;
      byDegree[open] ??= { open, succeeded: 0, failed: 0, skipped: 0 };
      return byDegree[open];
    }),
    tally: { ...emptyTally, pending: size },
    agenda: [],
  };
}

/** The stored form of a run: its fields, and the task runs ever touched. */
export interface RunRows {
  readonly fields: RunFields;
  readonly tasks: readonly (readonly [index: number, task: TaskRun])[];
}

/** The rows of a run; `restore` rebuilds the same run from them. */
export function rowsOf(run: Run): RunRows {
  const tasks: [number, TaskRun][] = [];
  run.tasks.forEach((task, i) => {
    if (task === untouched) return;
    const { pool, ...row } = task;
    tasks.push([i, row]);
  });
  return { fields: run.fields, tasks };
}

/** Rebuilds a run from committed rows; linear in tasks plus edges. Throws if they do not fit the plan. */
export function restore(plan: Plan, request: RunRequest, rows: RunRows): Run {
  if (!Object.hasOwn(runMachine.transitions, rows.fields.state))
    throw new Error(`it is in a state "${rows.fields.state}" that there is not`);
  const run = createRun(plan, request, rows.fields.params, rows.fields.since);
  run.fields = rows.fields;
  const { round } = rows.fields;
  const tally: Record<TaskState, number> = { ...emptyTally };
  tally[talliedAs(untouched, round)] = plan.tasks.length;
  for (const [i, task] of rows.tasks) {
    if (i >= plan.tasks.length)
      throw new Error(`it has a task ${i + 1}, and its workflow only ${plan.tasks.length}`);
    if (!Object.hasOwn(taskMachine.transitions, task.state))
      throw new Error(`task "${plan.tasks[i].spec.name}" is in a state "${task.state}" that there is not`);
    run.tasks[i] = task;
    tally[talliedAs(untouched, round)]--;
    tally[talliedAs(task, round)]++;
  }
  run.tally = tally;
  const taskAt = (i: number) => run.tasks[i];
  for (const i of topologicalOrder(plan.dag)) {
    const task = run.tasks[i];
    run.counters[i] = countersOf(plan, i, taskAt, rows.fields);
    if (task !== untouched) run.tasks[i] = { ...task, pool: poolOf(plan, i, taskAt) };
  }
  run.agenda = agendaOf(run);
  return run;
}

/** Tasks left to begin or skip at the run's last commit. A paused run starts none, but still skips. */
function agendaOf({ plan, fields, tasks, counters }: Run): readonly number[] {
  const holds = fields.state === 'pausing' || fields.state === 'paused';
  if (fields.unstarted || (!holds && fields.state !== 'running' && fields.state !== 'failing')) return [];
  const agenda: number[] = [];
  tasks.forEach((task, i) => {
    const isOpen = task.state === 'pending' && task.round === fields.round;
    if (isOpen ? verdictOn(plan, i, counters[i], fields) !== 'wait' : isHeld(task) && !holds) agenda.push(i);
  });
  return agenda;
}

/** Whether a pause held a task before it began. */
export function isHeld({ state, started }: TaskRun): boolean {
  return state === 'paused' && started === undefined;
}

/**
 * Computes a task's current counters from scratch. A predecessor outside the round counts by its earlier
 * ending. One that failed, was killed or never ran is left out, and a picked task leaves out all of them: the
 * round was requested despite them.
 */
export function countersOf(
  plan: Plan,
  i: number,
  taskAt: (i: number) => TaskRun,
  fields: RunFields,
): Counters {
  const counters = { open: 0, succeeded: 0, failed: 0, skipped: 0 };
  for (const p of predecessors(plan.dag, i)) {
    const before = taskAt(p);
    const ending = endingOf(plan, p, before, i);
    if (before.round === fields.round) counters[ending ?? 'open']++;
    else if ((ending === 'succeeded' || ending === 'skipped') && !fields.picked.includes(i)) {
      counters[ending]++;
    }
  }
  return counters;
}

/**
 * Whether a waiting task may start. A picked task starts unconditionally, unless it follows another of its
 * round. A disabled task stands for its predecessors, so it waits for all of them whatever its rule.
 */
export function verdictOn(plan: Plan, i: number, counters: Counters, fields: RunFields): Verdict {
  const { open, succeeded, failed, skipped } = counters;
  if (open + succeeded + failed + skipped === 0 && fields.picked.includes(i)) return 'ready';
  const { trigger, disabled } = plan.tasks[i].spec;
  const verdict = judge(trigger, counters);
  return verdict === 'ready' && disabled && open > 0 ? 'wait' : verdict;
}

/**
 * The state a task run is counted under: one that never had a turn in an earlier round is outside the current
 * one.
 */
export function talliedAs({ state, round }: TaskRun, current: number): TaskState {
  return state === 'pending' && round !== current ? 'excluded' : state;
}

/** A tally of nothing. */
const emptyTally: Tally = {
  pending: 0,
  delayed: 0,
  submitted: 0,
  running: 0,
  retrying: 0,
  waiting: 0,
  paused: 0,
  stopping: 0,
  success: 0,
  failed: 0,
  killed: 0,
  skipped: 0,
  passed: 0,
  excluded: 0,
};
