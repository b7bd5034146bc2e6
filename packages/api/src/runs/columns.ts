/** Task runs of a run in columns: what repeats is written once, and times count from one base. */
import type { Answer } from '@orrery/contract';
import { errorOf, type TaskRun } from '@orrery/core/run';
import { isFinal, type TaskState, taskMachine } from '@orrery/core/state';
import type { Store } from '@orrery/store';
import { timeText } from '../time.ts';
import type { FoundRun, TaskRange } from './read.ts';
import { taskRunOf } from './read.ts';
import { shownState } from './show-row.ts';

type TaskPage = Answer<'listTasks'>;

const states = Object.keys(taskMachine.transitions) as TaskState[];

/** A page of task runs, also those that nothing has happened to. */
export async function columnsOf(
  store: Store,
  found: FoundRun,
  range: TaskRange,
  withNeeds: boolean,
): Promise<Omit<TaskPage, 'next'>> {
  const { details, plan } = found;
  const { from } = range;
  const planned = plan.tasks.slice(from, range.to);
  const touched = new Map(details.tasks.map((row) => [row.task, taskRunOf(row)]));
  const tasks = planned.map((_, k) => touched.get(from + k));
  const starts = await startTimes(store, found, range, touched);
  const base = details.run.createdAt;
  const since = (at: number | undefined) => (at === undefined ? null : at - base);
  const types = new Places<string>();
  const workers = new Places<string | null>([null]);
  const reasons = new Places<string | null>([null]);
  const shown = tasks.map((task) =>
    shownState(task?.state ?? 'pending', task?.round ?? 1, details.fields.round),
  );
  const ended = (task: TaskRun | undefined, k: number) =>
    task && isFinal(taskMachine, shown[k] as TaskState) ? task.since : undefined;
  const sparse = <T>(value: (task: TaskRun, k: number) => T | undefined) =>
    Object.fromEntries(
      tasks.flatMap((task, k) => {
        const given = task && value(task, k);
        return given === undefined ? [] : [[String(k), given] as const];
      }),
    );
  return {
    run: details.run.id,
    total: plan.tasks.length,
    from,
    base: timeText(base),
    columns: {
      name: planned.map(({ spec }) => spec.name),
      type: planned.map(({ spec }) => types.of(spec.type)),
      state: shown.map((state) => states.indexOf(state as TaskState)),
      since: tasks.map((task) => since(task?.since || undefined)),
      queued: tasks.map((task) => since(task?.started)),
      started: tasks.map((task, k) => since(starts.get(from + k) ?? takenAt(task))),
      ended: tasks.map((task, k) => since(ended(task, k))),
      round: tasks.map((task) => task?.round ?? 1),
      attempt: tasks.map(lastAttempt),
      worker: tasks.map((task) => workers.of(lastWorker(task) ?? null)),
      reason: tasks.map((task) => reasons.of(errorOf(task))),
    },
    states,
    types: types.list,
    workers: workers.list,
    reasons: reasons.list,
    due: sparse((task) => {
      const due = dueOf(task);
      return due === undefined ? undefined : due - base;
    }),
    forced: tasks.flatMap((task, k) => (task?.forced ? [k] : [])),
    // Also those that nothing has happened to: a reader then knows that there will be shards.
    shards: Object.fromEntries(
      planned.flatMap(({ spec }, k) => (spec.shards ? [[String(k), shardCounts(tasks[k])]] : [])),
    ),
    ...(withNeeds && {
      needs: planned.map(({ spec }) => spec.needs.map((name) => plan.index.get(name) ?? -1)),
    }),
  };
}

/** The number of the last attempt, the highest of all shards; 0 before the first. */
export function lastAttempt(task: TaskRun | undefined): number {
  return task?.shards.reduce((most, shard) => Math.max(most, shard.attempt), 0) ?? 0;
}

/** How many shards are in each state. */
export function shardCounts(task: TaskRun | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of task?.shards ?? []) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** When tasks of a page began to be executed in their last round. */
export async function startTimes(
  store: Store,
  { details }: FoundRun,
  { from, to }: TaskRange,
  tasks: ReadonlyMap<number, TaskRun>,
): Promise<ReadonlyMap<number, number>> {
  return firstStarts(await store.readStartTimes({ run: details.run.id, from, to }), tasks);
}

/** The first start in the last round of each task, of starts in order. */
export function firstStarts(
  began: readonly { readonly task: number; readonly startedAt: number }[],
  tasks: ReadonlyMap<number, TaskRun>,
): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const { task, startedAt } of began) {
    const queued = tasks.get(task)?.started;
    // Attempts of rounds before this one began before it was queued; clocks of workers are not ours.
    if (queued !== undefined && startedAt >= queued - CLOCKS_DIFFER && !starts.has(task))
      starts.set(task, Math.max(startedAt, queued));
  }
  return starts;
}

const CLOCKS_DIFFER = 1_000;

/** When a worker took the open attempt. */
export function takenAt(task: TaskRun | undefined): number | undefined {
  const taken = (task?.shards ?? []).flatMap(({ state, worker, since }) =>
    state === 'out' && worker !== undefined && since !== undefined ? [since] : [],
  );
  return taken.length > 0 ? Math.min(...taken) : undefined;
}

function lastWorker(task: TaskRun | undefined): string | undefined {
  return task?.shards.findLast(({ worker }) => worker !== undefined)?.worker;
}

/** Values by their place in a list of different ones. */
class Places<T> {
  readonly list: T[];
  private readonly places: Map<T, number>;

  constructor(list: T[] = []) {
    this.list = list;
    this.places = new Map(list.map((value, k) => [value, k]));
  }

  of(value: T): number {
    let place = this.places.get(value);
    if (place === undefined) {
      place = this.list.push(value) - 1;
      this.places.set(value, place);
    }
    return place;
  }
}

/** When it goes on by itself: the end of its delay, or the earliest retry. */
export function dueOf(task: TaskRun | undefined): number | undefined {
  if (task?.state === 'delayed') return task.due;
  if (task?.state !== 'retrying') return undefined;
  const dues = task.shards.flatMap(({ state, due }) =>
    state === 'retrying' && due !== undefined ? [due] : [],
  );
  return dues.length > 0 ? Math.min(...dues) : undefined;
}
