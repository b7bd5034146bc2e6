/** Task runs as the API and its live events send them, read into the model of a run. */
import { taskRows } from '@orrery/sdk/client';
import type { RunTasks, Task } from './run.ts';
import { hasEnded } from './state.ts';

/** Columns of task runs that changed, all of one length. */
export interface ChangedColumns {
  readonly index: readonly number[];
  readonly state: readonly string[];
  readonly since: readonly string[];
  readonly queued: readonly (string | null)[];
  readonly started: readonly (string | null)[];
  readonly round: readonly number[];
  readonly attempt: readonly number[];
  readonly workers: readonly (readonly string[])[];
  readonly reason: readonly (string | null)[];
  readonly due: readonly (string | null)[];
  readonly forced: readonly boolean[];
  readonly shards: readonly Readonly<Record<string, number>>[];
}

/** Epoch milliseconds of a time as the API writes it. */
function timeOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}

/** A page of task runs, as the server answers. */
export type TaskPage = Parameters<typeof taskRows>[0];

/** All task runs of a run from all of its pages: a need may be on another page than its task. */
export function tasksOfPages(pages: readonly TaskPage[]): readonly Task[] {
  const rows = pages.flatMap(taskRows);
  // Written out, since there may be a hundred thousand: taking objects apart is slow.
  return rows.map((row) => ({
    index: row.index,
    id: row.id,
    name: row.name,
    type: row.type,
    state: row.state,
    since: row.since,
    round: row.round,
    attempt: row.attempt,
    workers: row.worker === null ? [] : [row.worker],
    reason: row.reason,
    due: row.due,
    forced: row.forced,
    shards: row.shards,
    queuedAt: row.queuedAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    needs: (row.needs ?? []).map((index) => rows[index].name),
  }));
}

/** The tasks in a change, updated; unknown ones are left for the next read. */
export function changedTasks({ tasks }: RunTasks, columns: ChangedColumns): readonly Task[] {
  return columns.index.flatMap((index, row) => {
    const known = tasks[index];
    if (!known) return [];
    const state = columns.state[row];
    const since = timeOf(columns.since[row]);
    return {
      ...known,
      state,
      since,
      queuedAt: timeOf(columns.queued[row]),
      startedAt: timeOf(columns.started[row]),
      endedAt: hasEnded(state) ? since : null,
      round: columns.round[row],
      attempt: columns.attempt[row],
      workers: columns.workers[row],
      reason: columns.reason[row],
      due: timeOf(columns.due[row]),
      forced: columns.forced[row],
      // Which tasks have shards does not change; a task without them counts as one.
      shards: known.shards && columns.shards[row],
    };
  });
}
