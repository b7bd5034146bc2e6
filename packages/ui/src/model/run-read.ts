/** Task runs as the API and its live events send them, read into the model of a run. */
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
export function timeOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}

/** A page of task runs in columns; times are milliseconds after `base`, words by their place in lists. */
export interface TaskPage {
  readonly run: number;
  readonly total: number;
  readonly from: number;
  readonly base: string;
  readonly states: readonly string[];
  readonly types: readonly string[];
  readonly workers: readonly (string | null)[];
  readonly reasons: readonly (string | null)[];
  readonly columns: {
    readonly name: readonly string[];
    readonly type: readonly number[];
    readonly state: readonly number[];
    readonly since: readonly (number | null)[];
    readonly queued: readonly (number | null)[];
    readonly started: readonly (number | null)[];
    readonly ended: readonly (number | null)[];
    readonly round: readonly number[];
    readonly attempt: readonly number[];
    readonly worker: readonly number[];
    readonly reason: readonly number[];
  };
  readonly due: Readonly<Record<string, number>>;
  readonly forced: readonly number[];
  readonly shards: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly needs?: readonly (readonly number[])[];
}

/** All task runs of a run from all of its pages: a need may be on another page than its task. */
export function tasksOfPages(pages: readonly TaskPage[]): readonly Task[] {
  const names = pages.flatMap(({ columns }) => columns.name);
  return pages.flatMap((page) => {
    const { run, from, columns, types, states, workers, reasons, due, shards, needs } = page;
    const base = Date.parse(page.base);
    const at = (offset: number | null | undefined) =>
      offset === null || offset === undefined ? null : base + offset;
    const forced = new Set(page.forced);
    return columns.name.map((name, row): Task => {
      const worker = workers[columns.worker[row]];
      return {
        index: from + row,
        id: `${run}.${name}`,
        name,
        type: types[columns.type[row]],
        needs: (needs?.[row] ?? []).map((need) => names[need]),
        state: states[columns.state[row]],
        since: at(columns.since[row]),
        round: columns.round[row],
        attempt: columns.attempt[row],
        workers: worker ? [worker] : [],
        reason: reasons[columns.reason[row]] ?? null,
        due: at(due[row]),
        forced: forced.has(row),
        shards: shards[row] ?? null,
        queuedAt: at(columns.queued[row]),
        startedAt: at(columns.started[row]),
        endedAt: at(columns.ended[row]),
      };
    });
  });
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
