/**
 * A backfill: a run of one series task in place of the tasks of its workflow. What it runs is part of its request, so
 * it is a run like any other to all who own, show or control it.
 */
import type { TaskSpec } from '../model/types.ts';
import { type TimeStretch, unpackTimes } from '../series/index.ts';
import type { BackfillSpec } from './logic/series.ts';
import { compile, type Plan } from './plan.ts';

/** What a backfill runs, as it is kept. */
export interface BackfillRequest extends Omit<BackfillSpec, 'times'> {
  /** Business times in the order they start. */
  readonly times: readonly TimeStretch[];
}

/** The name of the one task of a backfill. */
export const backfillTask = 'backfill';

/** The plan that a run walks: that of its workflow, or of a backfill over it. */
export function planOf(plan: Plan, { backfill }: { readonly backfill?: BackfillRequest }): Plan {
  if (!backfill) return plan;
  const { workflow } = plan;
  const { limit, timeout, deadline, ...own } = workflow;
  // The runs it starts keep to the limits and the time limit of the workflow; it holds none of them itself.
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
