/**
 * Frames between a worker and a master. Frames carry data or hints; the store decides every race, so a lost,
 * late or duplicate frame costs time, never correctness. Fields are only ever added.
 */
import type { Parameters } from '@orrery/core/model';
import type { Outcome } from '@orrery/core/run';
import type { AttemptId } from '@orrery/core/run/attempt';

export { type AttemptId, attemptText } from '@orrery/core/run/attempt';

/**
 * Settings for reaching another system, with secrets filled in: kept in memory, sent in process or over TLS
 * only.
 */
export interface ConnectionSettings {
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** An attempt given to a worker, with everything it needs to run it. */
export interface Assignment {
  readonly attempt: AttemptId;
  /** The take that assigned it. */
  readonly take: number;
  /** The master that owns the run, the first to report to. */
  readonly owner: string;
  readonly project: string;
  readonly workflow: string;
  readonly taskName: string;
  /** When the task began in this round of its run, if an earlier attempt began before this one. */
  readonly taskStarted?: number;
  readonly type: string;
  /** The task's `with` with parameters filled in. It is sent as JSON, so -0 becomes 0. */
  readonly with: unknown;
  /** Every parameter the task can read. */
  readonly params: Parameters;
  /** Values to mask in the log. */
  readonly secrets: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The project's connections that the task names, by name; those that do not exist are absent. */
  readonly connections?: Readonly<Record<string, ConnectionSettings>>;
  readonly shardCount: number;
  readonly shardParameter: string;
  /** Time limit in milliseconds from receipt, if reaching it ends the attempt. */
  readonly timeout?: number;
  readonly onLostContact: 'kill' | 'keep';
  /** System user to run as, if the worker isolates tasks; absent: `default`. */
  readonly tenant?: string;
  /** What an earlier attempt started elsewhere and left running, for this one to resume. */
  readonly handle?: string;
}

/** Size limit of a handle, in bytes. */
export const HANDLE_LIMIT = 4_096;

/** How an attempt ended. Its worker repeats the report until it is acknowledged. */
export interface Report {
  readonly attempt: AttemptId;
  readonly outcome: Outcome;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exitCode?: number;
  /** CPU time in milliseconds and peak memory in bytes, if the system reports them. */
  readonly cpuTime?: number;
  readonly peakMemory?: number;
  /** The end of the log of an attempt that did not succeed, at most 16 KB. */
  readonly logTail?: string;
}

/** Frames sent by a worker. */
export type WorkerFrame =
  | {
      readonly type: 'hello';
      /** Keeps its name across restarts; each join gives it a new epoch. */
      readonly worker: string;
      /** Address that serves its logs; empty if none does. */
      readonly address: string;
      readonly groups: readonly string[];
      readonly slots: number;
      /** Epoch and last take of a session that continues with this master instead of another. */
      readonly resume?: { readonly epoch: number; readonly take: number };
      /** JSON: the task types it can run, as the API shows them. */
      readonly taskTypes?: string;
      /** Capacity for attempts that ask for cores and memory, memory in bytes. */
      readonly cores?: number;
      readonly memory?: number;
      /**
       * Proves to every master that the session continues: constant across restarts, and known to nobody
       * else.
       */
      readonly key?: string;
    }
  /** Asks for work. Takes are numbered per epoch, and one is open at a time. */
  | {
      readonly type: 'take';
      readonly epoch: number;
      readonly number: number;
      readonly room: number;
      /** Attempts it holds that take no slot, since they only wait. Default: none. */
      readonly waiting?: number;
    }
  | { readonly type: 'report'; readonly epoch: number; readonly reports: readonly Report[] }
  /** An attempt's process runs: a hint for the owner. */
  | { readonly type: 'begun'; readonly epoch: number; readonly attempts: readonly AttemptId[] }
  | {
      readonly type: 'beat';
      readonly epoch: number;
      readonly beat: number;
      /**
       * The last take received. An open assignment of a take up to this one is lost unless the worker holds
       * it.
       */
      readonly take: number;
      readonly held: readonly AttemptId[];
      readonly load: {
        readonly cpu: number;
        readonly memory: number;
        readonly running: number;
        readonly disk?: number;
        /** Milliseconds since an attempt last began or ended. */
        readonly idle?: number;
      };
      /** Why the worker takes no work while it is unhealthy. */
      readonly unhealthy?: string;
    }
  /**
   * What an attempt started elsewhere, to be stored before the attempt continues. Empty: it has ended, and
   * nothing is stored.
   */
  | { readonly type: 'handle'; readonly epoch: number; readonly attempt: AttemptId; readonly body: string }
  /** The worker stops in good order and holds nothing: the master forgets it and closes the channel. */
  | { readonly type: 'leave'; readonly epoch: number };

/** Frames sent by a master. */
export type MasterFrame =
  /** The worker may take: its epoch, the lease that a beat extends, and the masters it may connect to. */
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
   * The worker may not join, or its session is over. With `rejoin` it was declared lost and may join as a new
   * one. Otherwise a newer process has its name, and joining again would only drive that process out.
   */
  | { readonly type: 'refused'; readonly reason: string; readonly rejoin: boolean }
  | { readonly type: 'give'; readonly take: number; readonly assignments: readonly Assignment[] }
  /** These reports are committed or no longer needed; the worker forgets them. */
  | { readonly type: 'acknowledge'; readonly attempts: readonly AttemptId[] }
  /** This beat is committed. Only that extends the lease, counted from when the beat was sent. */
  | { readonly type: 'beat-committed'; readonly beat: number }
  /**
   * The set of masters has changed. Sent at once, because a worker may lose its own master the moment after.
   */
  | { readonly type: 'masters'; readonly masters: readonly string[] }
  /** The store does not answer; the lease holds while every master says so. */
  | { readonly type: 'store-away' }
  /**
   * This master gives out no work for now, for example because it is paused. The take stays open, but the
   * worker should try another master.
   */
  | { readonly type: 'nothing'; readonly take: number; readonly reason: string }
  | { readonly type: 'kill'; readonly attempts: readonly AttemptId[] }
  /**
   * The handle of an attempt is committed; or the attempt no longer belongs to this worker, and nothing was
   * stored.
   */
  | { readonly type: 'handle-kept'; readonly attempt: AttemptId; readonly kept: boolean }
  /** Nobody resumes what this attempt started elsewhere: the worker ends it, then sends an empty handle. */
  | { readonly type: 'end'; readonly assignment: Assignment };

/** What may have changed in the store; a lost hint costs time, nothing else. */
export interface Hint {
  /** Commands wait, or runs have unread inboxes. */
  readonly inboxes?: boolean;
  /** Attempts wait in the queue. */
  readonly queue?: boolean;
  readonly schedules?: boolean;
  /** A bulk waits to be carried out. */
  readonly bulks?: boolean;
  /** Attempts to end; the master that gave them out can do it at once. */
  readonly kill?: readonly AttemptId[];
  /** A master that must stop acting: another master fenced it. It may itself be cut off from the store. */
  readonly fenced?: { readonly node: string; readonly epoch: number };
}
