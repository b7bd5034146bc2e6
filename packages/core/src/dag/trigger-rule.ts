/**
 * Trigger rules: the number of open predecessors and the endings of the others decide whether a task waits,
 * is ready or is skipped.
 */
import type { TriggerRule } from '../model/glossary.ts';

/**
 * The ending of a predecessor as one successor sees it. It belongs to the edge: a switch ends as `succeeded`
 * for its chosen branch and as `skipped` for the others.
 */
export type Ending = 'succeeded' | 'failed' | 'skipped';

/** Number of a task's open predecessors, and the endings of the others. */
export interface Counters {
  open: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

/** Verdict on a waiting task. */
export type Verdict = 'wait' | 'ready' | 'skip';

/** Applies a trigger rule. Call it only for a waiting task: further endings do not revoke a verdict. */
export function judge(rule: TriggerRule, counters: Counters): Verdict {
  const { open, succeeded, failed, skipped } = counters;
  switch (rule) {
    case 'all-succeeded':
      if (failed > 0) return 'skip';
      if (open > 0) return 'wait';
      return succeeded > 0 || skipped === 0 ? 'ready' : 'skip';
    case 'all-done':
      return open > 0 ? 'wait' : 'ready';
    case 'one-failed':
      if (failed > 0) return 'ready';
      return open > 0 ? 'wait' : 'skip';
    case 'one-succeeded':
      if (succeeded > 0) return 'ready';
      if (open > 0) return 'wait';
      return failed + skipped === 0 ? 'ready' : 'skip';
    case 'none-failed':
      if (failed > 0) return 'skip';
      return open > 0 ? 'wait' : 'ready';
  }
}

/**
 * The ending of a skipped task for its successors. A failure that caused the skip stays a failure, so that no
 * later task runs as if all were well and a `one-failed` task further down still sees it.
 */
export function endingOfSkipped(counters: Counters): Ending {
  return counters.failed > 0 ? 'failed' : 'skipped';
}

/**
 * The ending of a task that is passed through (disabled, or outside the run's scope) for its successors. Call
 * it only once all its predecessors have ended, or the answer depends on their order.
 */
export function endingOfPassed(counters: Counters): Ending {
  if (counters.failed > 0) return 'failed';
  return counters.succeeded > 0 || counters.skipped === 0 ? 'succeeded' : 'skipped';
}
