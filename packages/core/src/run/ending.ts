/** The ending of a task run, as seen by one successor. */
import type { Ending } from '../dag/index.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

export type { Ending };

/** The ending of the edge from task `i` to `successor`; undefined while the task is open. */
export function endingOf(plan: Plan, i: number, task: TaskRun, successor: number): Ending | undefined {
  switch (task.state) {
    case 'success':
      return task.branch && !task.branch.includes(successor) ? 'skipped' : 'succeeded';
    case 'failed':
    case 'killed':
      return plan.tasks[i].spec.ignoreFailure ? 'succeeded' : 'failed';
    case 'skipped':
    case 'passed':
      return task.ending;
    default:
      return undefined;
  }
}
