/**
 * The changes of one decision in progress: a view of the run overlaid with the changes so far. The run itself
 * is only read; `decision()` returns what to commit, apply and do.
 */
import type { Counters } from '../dag/index.ts';
import {
  move,
  type RunEvent,
  type RunState,
  runMachine,
  type TaskEvent,
  type TaskState,
  taskMachine,
} from '../state/index.ts';
import type { AttemptKey } from './attempt.ts';
import type { Changes, ChildControl, ChildStart, Decision, Effect, Ticket, Withdrawal } from './events.ts';
import { type GivenParameters, type Run, type RunFields, type TaskRun, talliedAs } from './run.ts';

/** What a decision may know beyond the run and the event. */
export interface Facts {
  /** Parameters for a round that begins now. */
  readonly given?: GivenParameters;
  /** Limit of tasks it begins or skips; default all. The others stay on the run's agenda. */
  readonly most?: number;
}

export class Draft {
  readonly run: Run;
  readonly now: number;
  readonly facts: Facts;
  fields: RunFields;
  /** Tasks with changed counters that may be ready or skipped now; `walk` empties it. */
  agenda: number[] = [];
  /** Tasks left to later decisions. */
  later: readonly number[];
  readonly enqueue: Ticket[] = [];
  readonly withdraw: Withdrawal[] = [];
  readonly admit: AttemptKey[] = [];
  readonly children: ChildStart[] = [];
  readonly childControls: ChildControl[] = [];
  readonly waits: { task: number; round: number; open: boolean }[] = [];
  readonly approvals: { task: number; round: number; open: boolean }[] = [];
  readonly effects: Effect[] = [];
  private settled: Changes['settled'];
  private readonly tasks = new Map<number, TaskRun>();
  private readonly counters = new Map<number, Counters>();
  private readonly tally: Record<TaskState, number>;

  private readonly cutter: (draft: Draft, reason: string) => void;

  constructor(run: Run, now: number, facts: Facts, cut: (draft: Draft, reason: string) => void) {
    this.run = run;
    this.cutter = cut;
    this.now = now;
    this.facts = facts;
    this.fields = run.fields;
    this.tally = { ...run.tally };
    this.later = run.agenda;
  }

  /** Continues the agenda of earlier decisions. */
  takeUp(): void {
    this.agenda = [...this.later];
    this.later = [];
  }

  /** Leaves the agenda from an index on to later decisions. */
  leave(from: number): void {
    if (from < this.agenda.length) this.later = [...this.later, ...this.agenda.slice(from)];
    this.agenda = [];
  }

  /** A task run with the changes so far. */
  readonly task = (i: number): TaskRun => this.tasks.get(i) ?? this.run.tasks[i];

  /** A task's counters with the changes so far. */
  countersAt(i: number): Counters {
    return this.counters.get(i) ?? this.run.counters[i];
  }

  setCounters(i: number, counters: Counters): void {
    this.counters.set(i, counters);
  }

  /** Moves a task run by an event of its machine; an illegal one throws. */
  move(i: number, event: TaskEvent, patch: Partial<TaskRun> = {}): void {
    const before = this.task(i);
    const state = move(taskMachine, before.state, event);
    const since = state === before.state ? before.since : this.now;
    this.set(i, before, { ...before, since, ...patch, state });
  }

  /** Changes a task run without moving it. */
  patch(i: number, patch: Partial<TaskRun>): void {
    const before = this.task(i);
    this.set(i, before, { ...before, ...patch });
  }

  /** Opens the next round; tasks that never had a turn are outside it until they are patched into it. */
  nextRound(patch: Partial<RunFields>): void {
    this.moveRun('reopen', { ...patch, round: this.fields.round + 1 });
    this.tally.excluded += this.tally.pending;
    this.tally.pending = 0;
  }

  /** Cuts the run short. A parameter of the draft, because to cut a run is to end tasks, which may cut it. */
  cut(reason: string): void {
    this.cutter(this, reason);
  }

  /** Moves the run by an event of its machine; an illegal one throws. Tracks the time it is paused. */
  moveRun(event: RunEvent, patch: Partial<RunFields> = {}): void {
    const before = this.fields;
    const state = move(runMachine, before.state, event);
    this.fields = { ...before, since: this.now, ...this.pauseTime(state), ...patch, state };
  }

  /** Length of the pause that this decision ended; 0 if it ended none. */
  pauseEnded = 0;

  private pauseTime(state: RunState): Partial<RunFields> {
    const { pausedAt, paused = 0 } = this.fields;
    const pauses = state === 'pausing' || state === 'paused';
    if (pauses) return { pausedAt: pausedAt ?? this.now };
    if (pausedAt === undefined) return {};
    this.pauseEnded = Math.max(0, this.now - pausedAt);
    return { pausedAt: undefined, paused: paused + this.pauseEnded };
  }

  /** Announces that the round ended or that the run rests. */
  settle(): void {
    this.settled = { round: this.fields.round, state: this.fields.state };
  }

  /** Limit of tasks to begin. */
  get most(): number {
    return this.facts.most ?? Number.POSITIVE_INFINITY;
  }

  count(...states: TaskState[]): number {
    let sum = 0;
    for (const state of states) sum += this.tally[state];
    return sum;
  }

  /** Everything decided so far. */
  decision(): Decision {
    const changes: Changes = {
      fields: this.fields === this.run.fields ? undefined : this.fields,
      tasks: this.tasks,
      counters: this.counters,
      tally: this.tally,
      agenda: this.later,
      enqueue: this.enqueue,
      withdraw: this.withdraw,
      admit: this.admit,
      children: this.children,
      childControls: this.childControls,
      waits: this.waits,
      approvals: this.approvals,
      settled: this.settled,
    };
    return { changes, effects: this.effects };
  }

  private set(i: number, before: TaskRun, after: TaskRun): void {
    const { round } = this.fields;
    this.tasks.set(i, after);
    this.tally[talliedAs(before, round)]--;
    this.tally[talliedAs(after, round)]++;
  }
}
