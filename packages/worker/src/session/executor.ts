/**
 * The part of a session that runs attempts. The worker's own starts processes, a simulation only pretends to.
 */
import type { Assignment, Report } from '@orrery/wire/frames';

/** Why an attempt is ended early. */
export type StopCause =
  /** A master killed it. */
  | 'killed'
  | 'timed-out'
  /** The lease has expired, or the masters have given the worker up. */
  | 'lost-contact'
  | 'worker-stopped';

/** An attempt in progress. */
export interface Running {
  /** Ends the attempt. It is reported once none of its processes is left. Only the first cause counts. */
  stop(cause: StopCause): void;
}

/**
 * Stores the handle of what an attempt has started elsewhere and whether it outlives the worker; an empty
 * handle clears it. Returns false if the attempt no longer belongs to this worker.
 */
export type KeepHandle = (handle: string, outlives: boolean) => Promise<boolean>;

/** Runs attempts. */
export interface Executor {
  /** Starts an attempt; `ended` is called once, perhaps before this returns. */
  run(assignment: Assignment, ended: (report: Report) => void, keep: KeepHandle): Running;
  /** Ends what an attempt of another worker has started elsewhere. Returns whether it is over. */
  end?(assignment: Assignment): Promise<boolean>;
  /** Whether attempts of this task type only wait, and so take no slot. */
  isWait?(type: string): boolean;
  /** The lease holds for `left` milliseconds from now. */
  extend(left: number): void;
  /** How busy the machine is; shares from 0 to 1. */
  load(): { readonly cpu: number; readonly memory: number; readonly disk?: number };
  /** Called when no attempt runs any more. */
  close(): void;
}
