/**
 * What a worker and a master say to each other, one frame at a time. Frames carry or hint; the store judges every
 * race, so a frame that is lost, late or doubled costs time and never correctness. Fields are only ever added.
 */
import type { Parameters } from '@orrery/core/model';
import type { Outcome } from '@orrery/core/run';
import type { AttemptId } from '@orrery/core/run/attempt';

export { type AttemptId, attemptText } from '@orrery/core/run/attempt';

/** Where a task finds another system, secrets put in: only in memory, in process or over TLS. */
export interface ConnectionSettings {
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** An attempt given to a worker, with everything it needs to run it. */
export interface Assignment {
  readonly attempt: AttemptId;
  /** The take that gave it. */
  readonly take: number;
  /** Where to report first: the master that owns the run. */
  readonly owner: string;
  readonly project: string;
  readonly workflow: string;
  readonly taskName: string;
  /** When the task began in this round of its run: earlier than the attempt where others came before it. */
  readonly taskStarted?: number;
  readonly type: string;
  /** The task's `with`, parameters already put in; travels as JSON, so -0 becomes 0. */
  readonly with: unknown;
  /** Every parameter the task can read. */
  readonly params: Parameters;
  /** Values to mask in the log. */
  readonly secrets: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The connections of its project that it names and that there are, by name. */
  readonly connections?: Readonly<Record<string, ConnectionSettings>>;
  readonly shardCount: number;
  readonly shardParameter: string;
  /** Time limit in milliseconds from receipt, where reaching it ends the attempt. */
  readonly timeout?: number;
  readonly onLostContact: 'kill' | 'keep';
  /** On whose behalf it runs: the system user, where its worker isolates tasks; absent: `default`. */
  readonly tenant?: string;
  /** What an earlier attempt has started elsewhere and left running: this one goes on with it. */
  readonly handle?: string;
}

/** What a handle may take, in bytes. */
export const HANDLE_LIMIT = 4_096;

/** How an attempt ended, as its worker reports it until it is acknowledged. */
export interface Report {
  readonly attempt: AttemptId;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exitCode?: number;
  /** CPU time in milliseconds and peak memory in bytes, where the system tells. */
  readonly cpuTime?: number;
  readonly peakMemory?: number;
  /** The end of the log of an attempt that did not succeed, at most 16 KB. */
  readonly logTail?: string;
}

/** What a worker says. */
export type WorkerFrame =
  | {
      readonly type: 'hello';
      /** Keeps its name over restarts; each join gives it a new epoch. */
      readonly worker: string;
      /** Where its logs are served; empty where they are not. */
      readonly address: string;
      readonly groups: readonly string[];
      readonly slots: number;
      /** The epoch and last take of a session that goes on with this master instead of another. */
      readonly resume?: { readonly epoch: number; readonly take: number };
      /** JSON: the task types it can run, as the API shows them. */
      readonly taskTypes?: string;
      /** What it has for attempts that ask for cores and memory, in bytes. */
      readonly cores?: number;
      readonly memory?: number;
      /** Proves that its session goes on, to every master: the same over restarts, and known to nobody else. */
      readonly key?: string;
    }
  /** Asks for work: takes are numbered per epoch, one is open at a time. */
  | {
      readonly type: 'take';
      readonly epoch: number;
      readonly number: number;
      readonly room: number;
      /** Attempts it holds that take no slot, since they only wait; absent: none. */
      readonly waiting?: number;
    }
  | { readonly type: 'report'; readonly epoch: number; readonly reports: readonly Report[] }
  /** An attempt's process runs: a hint for the owner. */
  | { readonly type: 'begun'; readonly epoch: number; readonly attempts: readonly AttemptId[] }
  | {
      readonly type: 'beat';
      readonly epoch: number;
      readonly beat: number;
      /** The last take received; an open assignment of a take up to it that is not held is lost. */
      readonly take: number;
      readonly held: readonly AttemptId[];
      readonly load: {
        readonly cpu: number;
        readonly memory: number;
        readonly running: number;
        readonly disk?: number;
      };
      /** Why the worker takes no work, while it is not healthy. */
      readonly unhealthy?: string;
    }
  /** What an attempt has started elsewhere, to be kept before it goes on; empty: it is over, and nothing is to be kept. */
  | { readonly type: 'handle'; readonly epoch: number; readonly attempt: AttemptId; readonly body: string }
  /** It stops in good order and holds nothing any more: the master forgets it and closes. */
  | { readonly type: 'leave'; readonly epoch: number };

/** What a master says. */
export type MasterFrame =
  /** The worker may take: its epoch, how long a beat keeps its lease, and the masters it may turn to. */
  | {
      readonly type: 'welcome';
      readonly epoch: number;
      readonly lease: number;
      readonly take: number;
      readonly masters: readonly string[];
      /** With a new epoch: how often the database was restored from a backup. */
      readonly restores?: number;
    }
  /**
   * The worker may not join, or its life is over: it was declared lost, and is welcome as a new one (`rejoin`), or a
   * newer process has its name, which to come back would only drive out.
   */
  | { readonly type: 'refused'; readonly reason: string; readonly rejoin: boolean }
  | { readonly type: 'give'; readonly take: number; readonly assignments: readonly Assignment[] }
  /** These reports are committed, or will never be wanted; the worker forgets them. */
  | { readonly type: 'acknowledge'; readonly attempts: readonly AttemptId[] }
  /** This beat is committed; only that extends the lease, counted from when the beat was sent. */
  | { readonly type: 'beat-committed'; readonly beat: number }
  /** The masters there are have changed. Told at once: a worker may lose its own the moment after. */
  | { readonly type: 'masters'; readonly masters: readonly string[] }
  /** The store does not answer; the lease holds while every master says so. */
  | { readonly type: 'store-away' }
  /**
   * The take gets nothing for now, since this master gives out no work: it is paused, say. The take stays open, but the
   * worker does better at another master.
   */
  | { readonly type: 'nothing'; readonly take: number; readonly reason: string }
  | { readonly type: 'kill'; readonly attempts: readonly AttemptId[] }
  /** The handle of an attempt is committed; or the attempt is no longer this worker's, and nothing was kept. */
  | { readonly type: 'handle-kept'; readonly attempt: AttemptId; readonly kept: boolean }
  /** Nobody goes on with what this attempt has started elsewhere: the worker ends that, then sends an empty handle. */
  | { readonly type: 'end'; readonly assignment: Assignment };

/** What may have changed in the store; a hint that is lost costs time, nothing else. */
export interface Hint {
  /** Commands wait, or runs have something in their inboxes. */
  readonly inboxes?: boolean;
  /** There are attempts in the queue. */
  readonly queue?: boolean;
  readonly schedules?: boolean;
  /** A bulk waits to be carried out. */
  readonly bulks?: boolean;
  /** Attempts to end, which whoever gave them out can do at once. */
  readonly kill?: readonly AttemptId[];
  /** A master that must act no longer: another one has taken over from it. It may be cut off from the store itself. */
  readonly fenced?: { readonly node: string; readonly epoch: number };
}
