/** Task runs as the API and its live events send them, read into the model of a run. */
import { taskRows } from '@orrery/sdk/client';
import type { RunTasks, Task } from './run.ts';
import { hasEnded } from './state.ts';

/** Columns of task runs that changed, all of one length. */
export interface ChangedColumns {
  readonly index: readonly number[];
  readonly state: readonly string[];
  readonly since: readonly string[];
  readonly round: readonly number[];
  readonly attempt: readonly number[];
  readonly workers: readonly (readonly string[])[];
  readonly reason: readonly (string | null)[];
  readonly due: readonly (string | null)[];
  readonly forced: readonly boolean[];
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
  return rows.map(({ worker, needs, ...row }) => ({
    ...row,
    workers: worker === null ? [] : [worker],
    needs: (needs ?? []).map((index) => rows[index].name),
  }));
}

/** The tasks that a change speaks of, with what it says; those not known yet are left for the next reading. */
export function changedTasks({ tasks }: RunTasks, columns: ChangedColumns): readonly Task[] {
  return columns.index.flatMap((index, row) => {
    const known = tasks[index];
    if (!known) return [];
    const state = columns.state[row];
    const since = timeOf(columns.since[row]);
    const round = columns.round[row];
    return {
      ...known,
      ...timesAfter(known, { state, since, round }),
      state,
      since,
      round,
      attempt: columns.attempt[row],
      workers: columns.workers[row],
      reason: columns.reason[row],
      due: timeOf(columns.due[row]),
      forced: columns.forced[row],
    };
  });
}

/** When it queued, began and ended, as far as the change of its state tells. */
function timesAfter(
  known: Task,
  { state, since, round }: Pick<Task, 'state' | 'since' | 'round'>,
): Pick<Task, 'queuedAt' | 'startedAt' | 'endedAt'> {
  const { queuedAt, startedAt } = round === known.round ? known : { queuedAt: null, startedAt: null };
  if (hasEnded(state)) return { queuedAt, startedAt, endedAt: since };
  if (state === 'running')
    return { queuedAt: queuedAt ?? since, startedAt: startedAt ?? since, endedAt: null };
  return { queuedAt: state === 'pending' ? queuedAt : (queuedAt ?? since), startedAt, endedAt: null };
}
