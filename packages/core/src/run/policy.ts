/** Small rules about one task: when to try again, and how long to wait for a silent worker. */
import type { Retries } from '../model/index.ts';

/** How often an attempt may be lost with its worker before the task run fails; apart from `retries`. */
export const LOST_LIMIT = 3;

/** The owner's timer for a worker's time limit waits this much longer: the worker itself is the one to act. */
export const TIMEOUT_GRACE = 10_000;

/** Which worker should take the attempt that follows failure number `failures`. */
export function workerFor({ on, later }: Retries, failures: number): Retries['on'] {
  return later && failures > later.after ? later.on : on;
}

/** The wait before the attempt that follows failure number `failures` (1 = the first). */
export function retryDelay(retries: Retries, failures: number): number {
  if (retries.delay === 0) return 0;
  return Math.min(Math.round(retries.delay * retries.backoff ** (failures - 1)), retries.maxDelay);
}
