/**
 * A run in memory: the plan it walks, the state of each task run, and the counters that say what is ready.
 * Everything here can be rebuilt from what was committed; `apply` (in `apply.ts`) is the only code that
 * changes it, and untouched tasks share one object, so a run costs what it has done.
 */

import { type Counters, judge, predecessors, topologicalOrder, type Verdict } from '../dag/index.ts';
import type { FailureStrategy, Parameters, Priority } from '../model/index.ts';
import type { SeriesList, SeriesProgress } from '../series/index.ts';
import { type RunState, runMachine, type TaskState, taskMachine } from '../state/index.ts';
import type { BackfillRequest } from './backfill.ts';
import { type Ending, endingOf } from './ending.ts';
import type { Plan } from './plan.ts';
import { type Pool, poolOf } from './pool.ts';

/** Why an attempt was called back: decides what its end means. */
export type Cause = 'pause' | 'stop' | 'kill' | 'cut' | 'timeout' | 'queue' | 'no-worker';

/** One shard of a task run, or the task run itself when it has no shards. */
export interface ShardRun {
  /** `idle`: no attempt open; `out`: one is queued or assigned; `retrying`: waits until `due`. */
  readonly state: 'idle' | 'out' | 'retrying' | 'success' | 'failed' | 'killed';
  /** Number of the last attempt; goes on over rounds. */
  readonly attempt: number;
  /** Failed and lost attempts of this round. */
  readonly failures: number;
  readonly lost: number;
  readonly due?: number;
  /** When the open attempt was queued or, once it has a worker, taken: its time limits count from then. */
  readonly since?: number;
  /** People were told that the open attempt runs too long. */
  readonly warned?: true;
  /** The open attempt is being called back. */
  readonly cause?: Cause;
  /** Who runs the open attempt, or ran the last one. */
  readonly worker?: string;
  readonly outputs?: Parameters;
  readonly error?: string;
}

/** A child run as its parent's task run knows it; `round` is the parent's round that started it. */
interface ChildRun {
  readonly round: number;
  readonly state: 'open' | 'paused' | 'success' | 'failed' | 'stopped';
}

/** How far a series of child runs has come; its elements keep the parent's round that started them. */
export interface SeriesRun extends SeriesProgress {
  readonly round: number;
  /** Where elements stand that are past their first workflow, and those whose next child run has not started. */
  readonly steps?: Readonly<Record<number, number>>;
  readonly due?: readonly number[];
  /** How many elements are open at once, where that was changed. */
  readonly parallel?: number;
}

/** What a series was started with. */
export interface SeriesInput {
  /** The lists it combines; none of a backfill, whose times are in its spec. */
  readonly lists: readonly SeriesList[];
  /** What every child is given. */
  readonly params: Parameters;
}

/** One task in one run. */
export interface TaskRun {
  readonly state: TaskState;
  /** The last round this task was part of; 0 before the first. */
  readonly round: number;
  /** When it came into this state. */
  readonly since: number;
  /** When it left `pending` in this round; once its delay is over, when that was. */
  readonly started?: number;
  /** End of the delay before it is queued. */
  readonly due?: number;
  readonly shards: readonly ShardRun[];
  readonly outputs?: Parameters;
  /** Successors that a logic task chose; the edges to others end as skipped. */
  readonly branch?: readonly number[];
  /** How a skipped or passed task looks to its successors. */
  readonly ending?: Ending;
  readonly child?: ChildRun;
  readonly series?: SeriesRun;
  /** Fixed when the series begins, so that later outputs and parameters do not change what its elements are. */
  readonly input?: SeriesInput;
  /** Of an approval: what it asks, fixed when it begins. */
  readonly question?: { readonly message: string; readonly defaults: Parameters };
  /** Why it failed, was skipped or was killed, for people. */
  readonly reason?: string;
  readonly forced?: true;
  /** People were told that it waits too long. */
  readonly warned?: true;
  /** Of a logic task: how long pauses held up its wait, in milliseconds; its time limit leaves them out. */
  readonly pausedFor?: number;
  /** What upstream tasks hand on; derived, never stored. */
  readonly pool?: Pool;
}

/** A trigger that started a run. */
interface RunCause {
  readonly trigger: string;
  /** The run whose end it heard of, and `project/name` of its workflow; neither of a webhook. */
  readonly run?: number;
  readonly workflow?: string;
  /** How many triggers, one after the other, led here. */
  readonly chain: number;
}

/** What a run was started with; never changes, except `params` by a control while it is paused. */
export interface RunRequest {
  readonly id: number;
  readonly project: string;
  readonly priority: Priority;
  readonly onFailure: FailureStrategy;
  readonly businessTime: number;
  readonly timezone: string;
  readonly dryRun: boolean;
  /** Whether it counts as a run of its workflow (`countsAsRun`): unless given, any but a dry run does. */
  readonly counts?: boolean;
  /** Nesting of sub-workflows above this run. */
  readonly depth: number;
  /** The trigger that started it. */
  readonly cause?: RunCause;
  /** The run that it replays. */
  readonly replayOf?: number;
  /** It belongs to a backfill: its end starts nothing by itself. */
  readonly silent?: true;
  /** Of a backfill: what it runs, in place of the tasks of its workflow. */
  readonly backfill?: BackfillRequest;
}

/**
 * Whether a run counts for dependents, triggers, deadlines, what needs someone and statistics. A dry run and a run of
 * some tasks do not, unless that was asked for at their start.
 */
export function countsAsRun({ counts, dryRun }: Pick<RunRequest, 'counts' | 'dryRun'>): boolean {
  return counts ?? !dryRun;
}

/** Parameters that a run finds where it runs: those of its project, and those of all projects below them. */
export interface GivenParameters {
  readonly cluster?: Parameters;
  readonly project?: Parameters;
}

/** How a round began. */
export type RoundKind = 'start' | 'rerun' | 'recover';

/** The fields of a run that are one row in the store. */
export interface RunFields {
  readonly state: RunState;
  readonly since: number;
  readonly round: number;
  readonly roundKind: RoundKind;
  readonly roundStarted: number;
  /** Tasks that this round starts from in spite of what came before them. */
  readonly picked: readonly number[];
  readonly params: Parameters;
  /** As they stood when the round began, so that all its tasks read the same; none of them: missing. */
  readonly given?: GivenParameters;
  /** Why it was cut (`failing`) or set aside (`broken`). */
  readonly reason?: string;
  /** People were told that this round takes too long. */
  readonly warned?: true;
  /** Paused before it started: a resume makes it wait again for its turn. */
  readonly unstarted?: true;
  /** When the pause began that it is in; and how long earlier pauses of this round took, in milliseconds. */
  readonly pausedAt?: number;
  readonly paused?: number;
}

/** How many task runs are in each state. */
export type Tally = Readonly<Record<TaskState, number>>;

/** A run in memory. */
export interface Run {
  readonly plan: Plan;
  readonly request: RunRequest;
  fields: RunFields;
  readonly tasks: TaskRun[];
  readonly counters: Counters[];
  tally: Tally;
  /** Tasks whose turn it is and that no decision has begun yet: one begins only so many, `more` goes on. */
  agenda: readonly number[];
}

/** Every task before anything happened to it; it belongs to the first round. */
const untouched: TaskRun = { state: 'pending', round: 1, since: 0, shards: [] };

/** A run that was created and not yet started. */
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

/** What the store keeps of a run: its fields, and the task runs that were ever touched. */
export interface RunRows {
  readonly fields: RunFields;
  readonly tasks: readonly (readonly [index: number, task: TaskRun])[];
}

/** The rows of a run; `restore` makes the same run of them. */
export function rowsOf(run: Run): RunRows {
  const tasks: [number, TaskRun][] = [];
  run.tasks.forEach((task, i) => {
    if (task === untouched) return;
    const { pool, ...row } = task;
    tasks.push([i, row]);
  });
  return { fields: run.fields, tasks };
}

/** Rebuilds a run from what was committed; linear in tasks plus edges. Throws where that does not fit the plan. */
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

/** Tasks left to begin or skip when the run was last committed. A paused run starts none, but still skips. */
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

/** Whether a task was held by a pause before it began. */
export function isHeld({ state, started }: TaskRun): boolean {
  return state === 'paused' && started === undefined;
}

/**
 * The counters of a task at this moment, from scratch. A predecessor outside the round counts by how it ended
 * earlier; one that failed, was killed or never ran is left out, and a picked task leaves all of them out:
 * the round was asked for in spite of them.
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
 * Whether a waiting task may start. One that was picked starts by that alone, unless it follows another of its round.
 * A disabled one stands for its predecessors, so it waits for all of them whatever its rule.
 */
export function verdictOn(plan: Plan, i: number, counters: Counters, fields: RunFields): Verdict {
  const { open, succeeded, failed, skipped } = counters;
  if (open + succeeded + failed + skipped === 0 && fields.picked.includes(i)) return 'ready';
  const { trigger, disabled } = plan.tasks[i].spec;
  const verdict = judge(trigger, counters);
  return verdict === 'ready' && disabled && open > 0 ? 'wait' : verdict;
}

/** Where a task run is counted: one that never had its turn in an earlier round is not part of this one. */
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
