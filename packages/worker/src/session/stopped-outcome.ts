/** The outcome of an attempt that was ended early. */
import type { Outcome } from '@orrery/core/run';
import type { StopCause } from './executor.ts';

const STOPPED: Record<StopCause, { readonly state: Outcome['state']; readonly error: string }> = {
  killed: { state: 'killed', error: 'killed on request' },
  'timed-out': { state: 'timed-out', error: 'ran longer than its time limit' },
  // Lost, not failed: it did nothing wrong, and another worker may repeat it.
  'lost-contact': { state: 'lost', error: 'its worker lost contact to the masters' },
  'worker-stopped': { state: 'lost', error: 'its worker was stopped' },
};

/** The outcome by its cause. */
export function stoppedOutcome(worker: string, cause: StopCause): Outcome & { readonly error: string } {
  return { ...STOPPED[cause], worker };
}
