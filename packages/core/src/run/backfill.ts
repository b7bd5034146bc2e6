/**
 * A backfill: a run with one series task in place of its workflow's tasks. Its contents are part of its
 * request, so it is a normal run for its owner, lists and controls.
 */
import type { TaskSpec } from '../model/types.ts';
import { type TimeStretch, unpackTimes } from '../series/index.ts';
import type { BackfillSpec } from './logic/series.ts';
import { compile, type Plan } from './plan.ts';

/** A stored backfill. */
export interface BackfillRequest extends Omit<BackfillSpec, 'times'> {
  /** Business times in start order. */
  readonly times: readonly TimeStretch[];
}

/** Name of a backfill's only task. */
export const backfillTask = 'backfill';

/** The plan of a run: its workflow's, or that of a backfill over it. */
export function planOf(plan: Plan, { backfill }: { readonly backfill?: BackfillRequest }): Plan {
  if (!backfill) return plan;
  const { workflow } = plan;
  const { limit, timeout, deadline, ...own } = workflow;
  // The runs it starts observe the limits and the time limit of the workflow; the backfill itself holds none.
  return compile({
    ...own,
    mode: 'parallel',
    params: {},
    schedules: [],
    triggers: [],
    tasks: [seriesTask(backfill)],
  });
}

function seriesTask({ times, ...spec }: BackfillRequest): TaskSpec {
  const series: BackfillSpec = { ...spec, times: unpackTimes(times) };
  return {
    name: backfillTask,
    type: 'backfill',
    needs: [],
    with: series,
    params: {},
    trigger: 'all-succeeded',
    retries: { limit: 0, delay: 0, backoff: 1, maxDelay: 0, on: 'any' },
    delay: 0,
    priority: 'medium',
    disabled: false,
    ignoreFailure: false,
    onLostContact: 'kill',
  };
}
