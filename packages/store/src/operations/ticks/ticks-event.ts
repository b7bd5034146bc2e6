/** Feed events for the ticks of one commit: one row, which readers expand. */
import type { FeedEvent } from '../runs/feed.ts';

/** A schedule that fired, and the runs it started. */
interface FiredSchedule {
  readonly schedule: number;
  readonly version: number;
  readonly workflow: number;
  readonly runs: readonly number[];
}

/** Stored form: schedule, version, workflow, then the runs. */
type Packed = readonly number[];

/** Topic of such a row; readers never see it. */
export const TICKS = 'ticks';

/** Makes the row; none without schedules. */
export function ticksEvent(fired: readonly FiredSchedule[]): FeedEvent[] {
  if (fired.length === 0) return [];
  const packed = fired.map(
    ({ schedule, version, workflow, runs }): Packed => [schedule, version, workflow, ...runs],
  );
  return [{ topic: TICKS, subject: 0, revision: 0, body: JSON.stringify(packed) }];
}

/** Expands the row into events of the queued runs and the fired schedules. */
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
