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

/** Runs attempts. */
export interface Executor {
  /** Starts an attempt; `ended` is called once, perhaps before this returns. */
  run(assignment: Assignment, ended: (report: Report) => void): Running;
  /** The lease holds for `left` milliseconds from now. */
  extend(left: number): void;
  /** How busy the machine is; shares of 0 to 1. */
  load(): { readonly cpu: number; readonly memory: number };
  /** When nothing runs any more. */
  close(): void;
}
