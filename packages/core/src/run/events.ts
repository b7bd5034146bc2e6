/** Events of a run, the changes they make (to commit), and their effects (after the commit). */
import type { Counters } from '../dag/index.ts';
import type { Parameters, Priority } from '../model/index.ts';
import type { RunState } from '../state/index.ts';
import type { Said } from '../texts/index.ts';
import type { AttemptKey } from './attempt.ts';
import type { VersionReference } from './logic/series.ts';
import type { RunFields, Tally, TaskRun } from './run.ts';

/** How an attempt ended. `withdrawn`: it was called back before a worker took it. */
export interface Outcome {
  readonly state: 'success' | 'failed' | 'timed-out' | 'killed' | 'lost' | 'withdrawn';
  readonly worker?: string;
  readonly outputs?: Parameters;
  readonly error?: string;
  /** A failure that a retry cannot fix. */
  readonly fatal?: boolean;
}

/** The part of the graph that a round covers. */
export interface Scope {
  readonly kind: 'all' | 'from' | 'to' | 'only';
  /** Task names; empty for `all`. */
  readonly tasks: readonly string[];
}

/** A request to change a run. */
export type Control =
  | { readonly type: 'pause' | 'resume' | 'stop' | 'recover' }
  | { readonly type: 'rerun'; readonly scope: Scope }
  | { readonly type: 'force' | 'kill' | 'start-now'; readonly task: string; readonly reason?: string }
  | {
      readonly type: 'answer';
      readonly task: string;
      /** Round of the task run that asked: an answer does not count for a later round. */
      readonly round: number;
      readonly answer: 'yes' | 'no';
      /** Values of the fields. */
      readonly values: Parameters;
      readonly comment?: string;
      readonly by: string;
    }
  | { readonly type: 'set-params'; readonly params: Parameters }
  /** For a backfill: how many business times are open at once. */
  | { readonly type: 'set-parallel'; readonly parallel: number };

/** Whether a control reopens a run that has ended. */
export function reopens({ type }: Control): boolean {
  return type === 'rerun' || type === 'recover';
}

/** Purpose of a timer; a timer whose subject has moved on is stale and does nothing. */
export type Alarm =
  | { readonly what: 'delay'; readonly task: number; readonly at: number }
  | { readonly what: 'retry'; readonly task: number; readonly shard: number; readonly at: number }
  | { readonly what: 'timeout' | 'queue' | 'no-worker'; readonly attempt: AttemptKey; readonly at: number }
  | { readonly what: 'logic-timeout'; readonly task: number; readonly round: number; readonly at: number }
  | { readonly what: 'run-timeout'; readonly round: number; readonly at: number };

/** Everything that can happen to a run. The time comes with the event; `decide` reads no clock. */
export type Happening = { readonly now: number } & (
  | { readonly type: 'start'; readonly scope: Scope }
  | { readonly type: 'begun'; readonly attempt: AttemptKey; readonly worker: string }
  | { readonly type: 'outcome'; readonly attempt: AttemptKey; readonly outcome: Outcome }
  | { readonly type: 'due'; readonly alarm: Alarm }
  | { readonly type: 'control'; readonly control: Control }
  | {
      readonly type: 'child';
      readonly task: number;
      readonly round: number;
      readonly element: number;
      readonly state: 'running' | 'paused' | 'success' | 'failed' | 'stopped';
      readonly outputs?: Parameters;
      /** Why it could not be started. */
      readonly reason?: string;
    }
  | {
      readonly type: 'dependency';
      readonly task: number;
      readonly round: number;
      readonly state: 'success' | 'failed';
      readonly reason?: string;
      readonly outputs?: Parameters;
    }
  /** Continues the agenda. */
  | { readonly type: 'more' }
  | {
      readonly type: 'adopt';
      /** Attempts that still have a token, an assignment or an outcome in flight. */
      readonly alive: (attempt: AttemptKey) => boolean;
    }
);

/** An attempt to queue. */
export interface Ticket {
  readonly attempt: AttemptKey;
  readonly priority: Priority;
  readonly workerGroup: string;
  readonly group?: { readonly name: string; readonly priority: number };
  /** Free capacity its worker needs. */
  readonly resources?: { readonly cores?: number; readonly memory?: number };
  /** Prefer this worker, or avoid it. */
  readonly target?: string;
  readonly avoid?: string;
}

/** An attempt to call back; with `kill`, even from a worker. */
export interface Withdrawal {
  readonly attempt: AttemptKey;
  readonly kill: boolean;
}

/** A child run to start, identified permanently by (task, round, element). */
export interface ChildStart {
  readonly task: number;
  readonly round: number;
  readonly element: number;
  readonly workflow: VersionReference;
  readonly params: Parameters;
  readonly businessTime: number;
  /** Zone of its times; default: its workflow's. */
  readonly timezone?: string;
  readonly depth: number;
}

/** A control for a child run. */
export interface ChildControl {
  readonly task: number;
  readonly round: number;
  readonly element: number;
  readonly control: 'pause' | 'resume' | 'stop' | 'recover';
}

/** Everything that must be committed together; `apply` takes the first five into memory. */
export interface Changes {
  readonly fields?: RunFields;
  readonly tasks: ReadonlyMap<number, TaskRun>;
  readonly counters: ReadonlyMap<number, Counters>;
  readonly tally: Tally;
  /** Tasks left to begin; while there are any, `more` must follow the commit. */
  readonly agenda: readonly number[];
  readonly enqueue: readonly Ticket[];
  readonly withdraw: readonly Withdrawal[];
  /** Attempts admitted past their task group, if they wait for its slot. */
  readonly admit: readonly AttemptKey[];
  readonly children: readonly ChildStart[];
  readonly childControls: readonly ChildControl[];
  /** Dependent tasks that start or stop waiting. */
  readonly waits: readonly { readonly task: number; readonly round: number; readonly open: boolean }[];
  /** Approvals that start or stop waiting for a person. */
  readonly approvals: readonly { readonly task: number; readonly round: number; readonly open: boolean }[];
  /**
   * The round ended, or the run came to rest in `paused`: relevant to parents, dependents, limits and alerts.
   */
  readonly settled?: { readonly round: number; readonly state: RunState };
}

/** What happens after the commit. No state depends on it; it only makes the run progress or be seen. */
export type Effect =
  | { readonly type: 'timer'; readonly alarm: Alarm }
  | {
      readonly type: 'alert';
      readonly kind: 'task-timeout' | 'run-timeout';
      readonly task?: number;
      readonly text: string;
    }
  | { readonly type: 'refused'; readonly control: Control; readonly reason: Said }
  | { readonly type: 'late'; readonly attempt: AttemptKey; readonly outcome: Outcome };

/** The result of an event. */
export interface Decision {
  readonly changes: Changes;
  readonly effects: readonly Effect[];
}
