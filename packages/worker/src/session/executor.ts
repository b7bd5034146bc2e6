/** What a session needs to run attempts; the worker's own starts processes, a simulation's only pretends to. */
import type { Assignment, Report } from '@orrery/wire/frames';

/** Why an attempt is ended before its time. */
export type StopCause =
  /** A master asked for it. */
  | 'killed'
  | 'timed-out'
  /** The lease has run out, or the masters have given the worker up. */
  | 'lost-contact'
  | 'worker-stopped';

/** An attempt under way. */
export interface Running {
  /** Ends it; it is reported once nothing of it is left. Only the first cause counts. */
  stop(cause: StopCause): void;
}

/** Keeps what an attempt has started elsewhere and whether it outlives the worker, or nothing any more; false where the attempt is no longer this worker's. */
export type KeepHandle = (handle: string, outlives: boolean) => Promise<boolean>;

/** Runs attempts. */
export interface Executor {
  /** Starts an attempt; `ended` is called once, perhaps before this returns. */
  run(assignment: Assignment, ended: (report: Report) => void, keep: KeepHandle): Running;
  /** Ends what an attempt of another worker has started elsewhere; whether it is over. */
  end?(assignment: Assignment): Promise<boolean>;
  /** Whether attempts of this task type only wait, and so take no slot. */
  isWait?(type: string): boolean;
  /** The lease holds for `left` milliseconds from now. */
  extend(left: number): void;
  /** How busy the machine is; shares of 0 to 1. */
  load(): { readonly cpu: number; readonly memory: number; readonly disk?: number };
  /** When nothing runs any more. */
  close(): void;
}
