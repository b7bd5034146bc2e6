/** Why a run failed: the error that came first, and what it has in common with the errors of other runs. */
import type { Run, TaskRun } from './run.ts';

/** Why a task run is as it is: said of it, or by its last failed attempt. */
export function errorOf(task: Pick<TaskRun, 'reason' | 'shards'> | undefined): string | null {
  return task?.reason ?? task?.shards.find(({ error }) => error !== undefined)?.error ?? null;
}

/** The first line of an error, as far as a list shows it. */
export function firstLine(error: string | null): string | null {
  return error === null ? null : (error.split('\n', 1)[0] ?? '').slice(0, 500);
}

/** The first line of the error of the task that failed first, or of what was said of the run; null where nothing was. */
export function failureOf({ tasks, fields }: Pick<Run, 'tasks' | 'fields'>): string | null {
  let first: TaskRun | undefined;
  for (const task of tasks)
    if (task.state === 'failed' && (first === undefined || task.since < first.since)) first = task;
  return firstLine(errorOf(first) ?? fields.reason ?? null);
}

/** An error without what differs from one time to the next: of another run, row or host it is still the same. */
export function fingerprint(error: string | null): string {
  return (firstLine(error) ?? '')
    .toLowerCase()
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
