/** Describes an exit code. For a failure with only this text, the worker looks for the error in the log. */
import { constants } from 'node:os';

/** Shells add 128 to the number of a signal. */
export function exitText(code: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal ? `exit code ${code} (ended by ${signal})` : `exit code ${code}`;
}
