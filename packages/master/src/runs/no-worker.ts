/** Fails attempts that no live worker could take for longer than their tasks allow. */
import type { Alarm, Run } from '@orrery/core/run';
import type { Context } from '../ports.ts';

/** Fires when an attempt has waited for a worker as long as it may. */
export type WorkerAlarm = Extract<Alarm, { attempt: object }>;

/** While a worker serves the group, the next check comes no earlier than after this. */
const LOOK_AGAIN = 5_000;

/**
 * When the attempt's group will have been without a live worker for as long as the task allows: now or later.
 */
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
