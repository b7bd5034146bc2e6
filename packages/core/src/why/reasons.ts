/**
 * Every reason for the state of a run or a task run, as a code with fields. `sentence.ts` has the words;
 * other languages use only code and fields, so these are part of the API.
 */

/** A thing by name or number, and its state. */
export interface Standing {
  readonly id: string;
  readonly state: string;
}

/** A place in the queue of a worker group. */
export interface QueuePlace {
  readonly group: string;
  readonly attempt: number;
  /** How many are served before it, and how many of those because of a higher priority. */
  readonly ahead: number;
  readonly higher: number;
}

/** Reasons for the state of a run. */
export type RunReason =
  | { readonly code: 'start-queued'; readonly ahead: number }
  | { readonly code: 'start-no-master'; readonly ahead: number }
  | { readonly code: 'start-masters-full'; readonly ahead: number; readonly masters: number }
  /** No live master takes work, each for its given reason. */
  | { readonly code: 'start-overloaded'; readonly ahead: number; readonly reasons: readonly string[] }
  | { readonly code: 'unowned' }
  | { readonly code: 'unowned-no-master' }
  | {
      readonly code: 'serial';
      readonly workflow: string;
      /** Limit of open runs, and the mode. */
      readonly limit: number;
      readonly mode: string;
      readonly runs: readonly Standing[];
    }
  | { readonly code: 'run-running'; readonly running: number; readonly queued: number }
  | {
      readonly code: 'task-waits';
      readonly task: string;
      readonly taskRun: string;
      readonly reason: TaskReason;
    }
  | { readonly code: 'next-step' }
  | { readonly code: 'run-pausing' | 'run-stopping'; readonly open: number }
  | { readonly code: 'run-failing'; readonly open: number; readonly reason?: string }
  | { readonly code: 'run-paused' | 'run-success' }
  | {
      readonly code: 'run-failed';
      readonly reason?: string;
      readonly tasks: readonly { readonly name: string; readonly error?: string }[];
    }
  | { readonly code: 'run-stopped'; readonly reason?: string }
  /** `unplanned`: its workflow's version is gone or unreadable. */
  | { readonly code: 'run-broken'; readonly reason?: string; readonly unplanned?: true };

/** Reasons for the state of a task run. */
export type TaskReason =
  | { readonly code: 'about-to-start' }
  | {
      readonly code: 'limit-full';
      readonly limit: string;
      readonly slots: number;
      readonly held: number;
      readonly ahead: number;
      readonly holders: readonly string[];
      /** The holder expected to end first, and how long its task usually takes, in milliseconds. */
      readonly first?: { readonly id: string; readonly usual: number };
    }
  | { readonly code: 'run-not-started' }
  | { readonly code: 'never-had-turn'; readonly run: string }
  | {
      readonly code: 'needs';
      readonly tasks: readonly (Standing & { readonly name: string })[];
      readonly rule: string;
    }
  | ({ readonly code: 'no-worker' } & QueuePlace)
  | ({
      readonly code: 'workers-unhealthy';
      readonly workers: readonly { readonly id: string; readonly reason: string }[];
    } & QueuePlace)
  /**
   * It asks for more than is left on any live worker of its group; with `never`, more than any of them has.
   */
  | ({
      readonly code: 'no-room';
      readonly asks: string;
      readonly workers: number;
      readonly never: boolean;
    } & QueuePlace)
  | ({
      readonly code: 'meant-for';
      readonly worker: string;
      /** Chosen by its group: any other worker takes it if that one does not. */
      readonly chosen?: boolean;
    } & QueuePlace)
  | ({
      readonly code: 'slots-taken';
      readonly slots: number;
      readonly workers: number;
      readonly holders: readonly string[];
    } & QueuePlace)
  | ({
      readonly code: 'next-up';
      readonly slots: number;
      readonly free: number;
      readonly workers: number;
    } & QueuePlace)
  | { readonly code: 'entering-queue' }
  | { readonly code: 'delayed'; readonly until: string | null }
  | { readonly code: 'retrying'; readonly error: string; readonly at: string | null }
  | {
      readonly code: 'attempt-runs';
      readonly attempt: number;
      readonly workers: readonly string[];
      readonly stopping: boolean;
    }
  /** Its type polls; `seen` is what the last poll found. */
  | {
      readonly code: 'attempt-waits';
      readonly attempt: number;
      readonly worker: string;
      readonly seen: string | null;
    }
  | {
      readonly code: 'shards-run';
      readonly shards: number;
      readonly of: number;
      readonly workers: readonly string[];
      readonly stopping: boolean;
    }
  | { readonly code: 'reported'; readonly stopping: boolean }
  | {
      readonly code: 'depends';
      /** Each of its dependencies; `reason` says what is missing. */
      readonly on: readonly {
        readonly workflow: string;
        readonly window: string;
        readonly state: 'success' | 'waiting' | 'failed';
        readonly reason: string;
      }[];
    }
  /** It waits for a person; `until` is its time limit. */
  | {
      readonly code: 'approval';
      readonly message: string;
      readonly taskRun: string;
      readonly until: string | null;
    }
  | { readonly code: 'child-queued' }
  | { readonly code: 'child'; readonly runs: readonly Standing[] }
  | {
      readonly code: 'series';
      readonly total: number;
      readonly ended: number;
      readonly open: number;
      readonly runs: readonly Standing[];
    }
  | { readonly code: 'held' | 'excluded' | 'passed' }
  | { readonly code: 'success'; readonly reason?: string }
  | { readonly code: 'forced' | 'skipped' | 'killed' | 'failed'; readonly reason?: string };

/** A reason for any state. */
export type WhyReason = RunReason | TaskReason;
