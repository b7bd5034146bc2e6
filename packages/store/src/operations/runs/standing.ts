/**
 * Where a run stands, for lists: open, succeeded or ended badly. It changes seldom, so indexes are on it and not on
 * the state, which changes with every step.
 */
import type { RunState } from '@orrery/core/state';

/** A run that has not ended. */
const OPEN = 0;
const SUCCEEDED = 1;
const BAD = 2;

/** How a state stands. */
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
