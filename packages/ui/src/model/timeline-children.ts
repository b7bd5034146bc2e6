/**
 * Runs that tasks started, as rows below those tasks. The tasks of a single one stand right there; of several each
 * has a row of its own, which folds out. A task in there may have started runs itself.
 */
import { depthsOf, type Links } from './graph.ts';
import type { RunTasks, Task } from './run.ts';
import { extentOf, type Span, spansOfTask } from './timeline.ts';

/** A run that a task started, with its task runs. */
export interface ChildRun {
  readonly id: number;
  readonly state: string;
  readonly tasks: RunTasks;
}

/** Runs by the id of the task run that started them, oldest first; only those requested. */
export type ChildRuns = ReadonlyMap<string, readonly ChildRun[]>;

/** A row below a task; `run` is the run that it is about. */
export type NestedRow = {
  readonly key: string;
  readonly depth: number;
  readonly run: number;
  /** What folds it out; null of a row that does not. */
  readonly foldKey: string | null;
} & (
  | { readonly kind: 'task'; readonly task: Task; readonly tasks: RunTasks }
  | { readonly kind: 'run'; readonly state: string; readonly span: Span | null }
  | { readonly kind: 'more' }
);

/** The server lists at most this many runs of a task; there may be more. */
export const MOST_CHILDREN = 20;

const types = new Set(['sub-workflow', 'dynamic']);

/** What folds out the runs that a task started; null of a task that has started none. */
export function childrenKey({ type, queuedAt, id }: Task): string | null {
  return types.has(type) && queuedAt !== null ? `children:${id}` : null;
}

/** The task runs whose children are unfolded. */
export function openedParents(opened: ReadonlySet<string>): readonly string[] {
  return [...opened].flatMap((key) => /^children:(.*)$/.exec(key)?.[1] ?? []);
}

const foldShape = /^(?:(?:shards|children):[1-9]\d{0,14}\.[^,]+|run:[1-9]\d{0,14})$/;

/** Rows that are folded out at most: they stand in the address, which has an end. */
export const MOST_OPENED = 100;

/** The rows that are folded out, from the text of an address; undefined where it is none. */
export function readOpened(text: string): readonly string[] | undefined {
  const keys = text.split(',');
  return keys.length <= MOST_OPENED && keys.every((key) => foldShape.test(key)) ? keys : undefined;
}

/** The same after one was folded out or in; beyond the most there may be, what was folded out first is folded in. */
export function folded(opened: readonly string[], key: string): readonly string[] {
  const others = opened.filter((other) => other !== key);
  return others.length < opened.length ? others : [...others, key].slice(-MOST_OPENED);
}

/** The order of rows: by the arrows that lead to a task, then by its place. */
export function timelineOrder(links: Links): readonly number[] {
  const depth = depthsOf(links);
  return [...depth.keys()].sort((a, b) => depth[a] - depth[b] || a - b);
}

/** The rows below a task whose runs are unfolded; `run` is the task's. */
export function nestedRows(
  run: number,
  taskRun: string,
  opened: ReadonlySet<string>,
  known: ChildRuns,
  depth = 1,
): readonly NestedRow[] {
  const children = known.get(taskRun) ?? [];
  const rows = children.flatMap((child): readonly NestedRow[] => {
    if (children.length === 1) return tasksOf(child, opened, known, depth);
    const { id, state } = child;
    const key = `run:${id}`;
    const head: NestedRow = { kind: 'run', key, depth, run: id, foldKey: key, state, span: spanOf(child) };
    return opened.has(key) ? [head, ...tasksOf(child, opened, known, depth + 1)] : [head];
  });
  return children.length < MOST_CHILDREN
    ? rows
    : [...rows, { kind: 'more', key: `more:${taskRun}`, depth, run, foldKey: null }];
}

function tasksOf(
  { id, tasks }: ChildRun,
  opened: ReadonlySet<string>,
  known: ChildRuns,
  depth: number,
): readonly NestedRow[] {
  return timelineOrder(tasks.links).flatMap((index) => {
    const task = tasks.tasks[index];
    const foldKey = childrenKey(task);
    const row: NestedRow = { kind: 'task', key: task.id, depth, run: id, foldKey, task, tasks };
    const isOpen = foldKey !== null && opened.has(foldKey);
    return isOpen ? [row, ...nestedRows(id, task.id, opened, known, depth + 1)] : [row];
  });
}

/** From its first task to its last, open while one of them is. */
function spanOf({ state, tasks }: ChildRun): Span | null {
  const spans = tasks.tasks.map(spansOfTask);
  const extent = extentOf(spans, 0);
  if (!extent) return null;
  const isOpen = spans.some((some) => some.some(({ to }) => to === null));
  return { kind: 'run', from: extent.from, to: isOpen ? null : extent.to, state, attempt: 1 };
}
