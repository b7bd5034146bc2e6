/** Attempts that fail when no live worker could take them for as long as their tasks say. */
import type { Alarm, Run } from '@orrery/core/run';
import type { Context } from '../ports.ts';

/** Rings when an attempt has waited as long as it may without a worker. */
export type WorkerAlarm = Extract<Alarm, { attempt: object }>;

/** While somebody serves the group, it is looked at again after this at the earliest. */
const LOOK_AGAIN = 5_000;

/** When the group of an attempt will have been without a live worker for as long as its task allows; now, or later. */
export async function whenUnserved(
  { plan }: Run,
  { attempt, at }: WorkerAlarm,
  { store, clock, report }: Pick<Context, 'store' | 'clock' | 'report'>,
): Promise<number> {
  const { workerGroup = plan.workflow.workerGroup, onNoWorker } = plan.tasks[attempt.task].spec;
  const patience = onNoWorker?.fail ?? Number.POSITIVE_INFINITY;
  try {
    const workers = (await store.listWorkers()).filter(({ groups }) =>
      (JSON.parse(groups) as string[]).includes(workerGroup),
    );
    if (workers.some(({ lost, draining, unhealthy }) => lost === 0 && draining === 0 && unhealthy === null))
      return clock.now() + Math.max(patience, LOOK_AGAIN);
    const seen = workers
      .filter(({ draining }) => draining === 0)
      .map(({ beatAt, unhealthySince }) => (unhealthySince ?? beatAt) + patience);
    return Math.max(at, ...seen);
  } catch (error) {
    report(`could not look for workers of group ${workerGroup}`, error);
    return clock.now() + LOOK_AGAIN;
  }
}
