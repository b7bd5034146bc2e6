/**
 * Trigger rules: how many predecessors of a task are still open and how the others ended decide whether it
 * waits, is ready or is skipped.
 */
import type { TriggerRule } from '../model/glossary.ts';

/**
 * How a predecessor ended, as one successor sees it. It belongs to the edge: a switch ends as `succeeded` for
 * the branch it chose and as `skipped` for the others.
 */
export type Ending = 'succeeded' | 'failed' | 'skipped';

/** How many predecessors of one task are still open, and how the others ended. */
export interface Counters {
  open: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

/** What the counters of a waiting task say about it. */
export type Verdict = 'wait' | 'ready' | 'skip';

/** Applies a trigger rule. Ask only about a task that waits: further endings do not take a verdict back. */
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
 * What the successors of a skipped task see: a failure it was skipped for stays a failure, so that nothing
 * beyond it runs as if all were well and a `one-failed` task far below still hears of it.
 */
export function endingOfSkipped(counters: Counters): Ending {
  return counters.failed > 0 ? 'failed' : 'skipped';
}

/**
 * What the successors of a task that is passed through (disabled, or out of the run's scope) see. Ask only once
 * all its predecessors ended, or the answer depends on which of them was first.
 */
export function endingOfPassed(counters: Counters): Ending {
  if (counters.failed > 0) return 'failed';
  return counters.succeeded > 0 || counters.skipped === 0 ? 'succeeded' : 'skipped';
}
