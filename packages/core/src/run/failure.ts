/** Why a run failed: its first error that counts, and a fingerprint shared with similar errors of other runs. */
import { verdictOnFailure } from './forgiven.ts';
import type { Run, TaskRun } from './run.ts';

/** The reason of a task run: its own, or that of its last failed attempt. */
export function errorOf(task: Pick<TaskRun, 'reason' | 'shards'> | undefined): string | null {
  return task?.reason ?? task?.shards.find(({ error }) => error !== undefined)?.error ?? null;
}

/** The first line of an error, at a list's length. */
export function firstLine(error: string | null): string | null {
  return error === null ? null : (error.split('\n', 1)[0] ?? '').slice(0, 500);
}

/**
 * The first line of the error of the task that failed first and that nothing forgave, or of the run's reason; null if
 * there is neither.
 */
export function failureOf({ plan, tasks, fields }: Pick<Run, 'plan' | 'tasks' | 'fields'>): string | null {
  let first: TaskRun | undefined;
  tasks.forEach((task, i) => {
    if (task.state !== 'failed' || (first && task.since >= first.since)) return;
    if (verdictOnFailure(plan, i, (at) => tasks[at]) !== 'forgiven') first = task;
  });
  return firstLine(errorOf(first) ?? fields.reason ?? null);
}

/** An error without its variable parts: for another run, row or host it stays the same. */
export function fingerprint(error: string | null): string {
  return (firstLine(error) ?? '')
    .toLowerCase()
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '#')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, '#')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
