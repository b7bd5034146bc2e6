/** How far a backfill has come. */
import type { Answer } from '@orrery/contract';
import type { BackfillRequest, TaskRun } from '@orrery/core/run';
import { type SeriesProgress, seriesOf, unpackTimes } from '@orrery/core/series';
import { optionalTime } from '../time.ts';
import { keyOf } from './downstream.ts';

/** The progress of one; `task` is its only task run, if it has begun. */
export function progressOf(
  { workflow, downstream = [], times: stretches, parallelism, onFailure }: BackfillRequest,
  task: TaskRun | undefined,
): NonNullable<Answer<'showRun'>['backfill']> {
  const times = unpackTimes(stretches);
  const series: SeriesProgress = task?.series ?? seriesOf(times.length);
  return {
    total: times.length,
    done: series.succeeded,
    failed: series.failed.length,
    open: series.open.length + series.paused.length + series.again.length,
    next: optionalTime(times[series.next]),
    parallel: task?.series?.parallel ?? parallelism,
    onFailure,
    version: workflow.version ?? null,
    workflows: [workflow, ...downstream].map(({ project = '', name }) => keyOf({ project, name })),
  };
}
