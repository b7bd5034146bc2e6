/** What watchers hear of the ticks of one commit: one row of the feed, which readers expand. */
import type { FeedEvent } from '../runs/feed.ts';

/** A schedule that fired, and the runs it started. */
interface FiredSchedule {
  readonly schedule: number;
  readonly version: number;
  readonly workflow: number;
  readonly runs: readonly number[];
}

/** As it is stored: schedule, version, workflow, then the runs. */
type Packed = readonly number[];

/** The topic of such a row; no reader sees it. */
export const TICKS = 'ticks';

/** The row; none for no schedules. */
export function ticksEvent(fired: readonly FiredSchedule[]): FeedEvent[] {
  if (fired.length === 0) return [];
  const packed = fired.map(
    ({ schedule, version, workflow, runs }): Packed => [schedule, version, workflow, ...runs],
  );
  return [{ topic: TICKS, subject: 0, revision: 0, body: JSON.stringify(packed) }];
}

/** What the row stands for: the runs that were queued, and the schedules that fired. */
export function expandTicks(body: string): FeedEvent[] {
  return (JSON.parse(body) as Packed[]).flatMap(([schedule, version, workflow, ...runs]) => [
    ...runs.map(
      (run): FeedEvent => ({
        topic: 'run',
        subject: run,
        revision: 0,
        body: JSON.stringify({ state: 'queued', workflow }),
      }),
    ),
    {
      topic: 'schedule',
      subject: schedule,
      revision: version,
      body: JSON.stringify({ what: 'fired', workflow }),
    },
  ]);
}
