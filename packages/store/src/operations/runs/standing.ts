/**
 * The standing of a run, for lists: open, succeeded or ended badly. It changes rarely, so indexes cover it
 * instead of the state, which changes with every step.
 */
import type { RunState } from '@orrery/core/state';

/** The standing of an open run. */
const OPEN = 0;
const SUCCEEDED = 1;
const BAD = 2;

/** The standing of a state. */
export function standingOf(state: RunState): number {
  switch (state) {
    case 'success':
      return SUCCEEDED;
    case 'failed':
    case 'stopped':
    case 'broken':
      return BAD;
    default:
      return OPEN;
  }
}
