/**
 * Finds runs that can only wait: all their open attempts are in queues of worker groups that no worker
 * serves.
 */
import type { RunEntry } from './run-entry.ts';

/** Whether a run cannot proceed until a worker of a group that is now unserved joins. */
export function isUnserved({ run, looking, waits }: RunEntry, served: ReadonlySet<string>): boolean {
  const { submitted, running, retrying, delayed, stopping } = run.tally;
  if (looking > 0 || waits || run.agenda.length > 0) return false;
  if (submitted === 0 || running + retrying + delayed + stopping > 0) return false;
  const { workflow, tasks } = run.plan;
  const groupOf = (i: number) => tasks[i].spec.workerGroup ?? workflow.workerGroup;
  return run.tasks.every(({ state }, i) => state !== 'submitted' || !served.has(groupOf(i)));
}
