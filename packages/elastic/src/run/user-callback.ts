/**
 * Calls user functions without waiting for them: one that throws or rejects costs no shard and no process.
 */
import type { Log } from '@orrery/core/log';
import { textOf } from './run-shard.ts';

/** The function, with its errors logged. `what` names it: `onError of job settle`. */
export function userCallback<A extends readonly unknown[]>(
  what: string,
  callback: (...given: A) => unknown,
  log: Log,
): (...given: A) => void {
  const failed = (error: unknown) => log('error', `${what} failed: ${textOf(error)}`);
  return (...given) => {
    try {
      Promise.resolve(callback(...given)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
