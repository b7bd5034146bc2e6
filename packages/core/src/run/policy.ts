/** Rules about one task: when to retry, and how long to wait for a silent worker. */
import type { Retries } from '../model/index.ts';

/** How often an attempt may be lost with its worker before the task run fails, independent of `retries`. */
export const LOST_LIMIT = 3;

/**
 * Extra delay of the owner's timer for a worker's time limit, in milliseconds: the worker itself should act
 * first.
 */
export const TIMEOUT_GRACE = 10_000;

/** Which worker should take the attempt after failure number `failures`. */
export function workerFor({ on, later }: Retries, failures: number): Retries['on'] {
  return later && failures > later.after ? later.on : on;
}

/** The delay before the attempt after failure number `failures` (1 = the first). */
export function retryDelay(retries: Retries, failures: number): number {
  if (retries.delay === 0) return 0;
  return Math.min(Math.round(retries.delay * retries.backoff ** (failures - 1)), retries.maxDelay);
}
