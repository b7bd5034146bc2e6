/**
 * Task runs in columns, as `GET /runs/{id}/tasks` answers: a tenth of the size of a list of objects. Plain
 * functions and types: browsers load this file as it is.
 */
import { taskRunText } from '@orrery/core/run/attempt';
import type { Answer } from './operation.ts';

/** A page of task runs. */
export type TaskPage = Answer<'listTasks'>;

/** One task run of a page; times are epoch milliseconds. */
export interface TaskRow {
  /** Index in the workflow, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly since: number | null;
  readonly queuedAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly round: number;
  /** Number of the last attempt, the highest of all shards; 0 before the first. */
  readonly attempt: number;
  readonly worker: string | null;
  readonly reason: string | null;
  readonly due: number | null;
  readonly forced: boolean;
  readonly shards: Readonly<Record<string, number>> | null;
  /** Indexes of the tasks it needs, if requested. */
  readonly needs: readonly number[] | null;
}

/** The rows of a page. */
export function taskRows(page: TaskPage): TaskRow[] {
  const { run, from, columns, types, states, workers, reasons, due, forced, shards, needs } = page;
  const base = Date.parse(page.base);
  const at = (offset: number | null | undefined) =>
    offset === null || offset === undefined ? null : base + offset;
  const byForce = new Set(forced);
  return columns.name.map((name, k) => ({
    index: from + k,
    id: taskRunText({ run, task: name }),
    name,
    type: types[columns.type[k]],
    state: states[columns.state[k]],
    since: at(columns.since[k]),
    queuedAt: at(columns.queued[k]),
    startedAt: at(columns.started[k]),
    endedAt: at(columns.ended[k]),
    round: columns.round[k],
    attempt: columns.attempt[k],
    worker: workers[columns.worker[k]] ?? null,
    reason: reasons[columns.reason[k]] ?? null,
    due: at(due[k]),
    forced: byForce.has(k),
    shards: shards[k] ?? null,
    needs: needs?.[k] ?? null,
  }));
}
