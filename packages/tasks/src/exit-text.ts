/** An exit code in words; the worker looks for the error in the log of a failure that says no more than this. */
import { constants } from 'node:os';

/** Shells add 128 to the number of a signal. */
export function exitText(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal ? `exit code ${code} (ended by ${signal})` : `exit code ${code}`;
}
