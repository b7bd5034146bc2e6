/**
 * The task runs of one run, shared by graph, timeline and table. A task whose content did not change keeps
 * its identity, and so does everything derived from unchanged tasks: one event redraws one box.
 */
import { type GraphTask, type Links, linksOf, placesOf } from './graph.ts';
import { hasEnded } from './state.ts';

/** One task run; times are epoch milliseconds. */
export interface Task extends GraphTask {
  readonly index: number;
  readonly id: string;
  readonly state: string;
  /** When it came into this state. */
  readonly since: number | null;
  readonly round: number;
  /** Number of the last attempt, 0 before the first. */
  readonly attempt: number;
  readonly workers: readonly string[];
  readonly reason: string | null;
  /** When it goes on by itself: the end of a delay, or the next retry. */
  readonly due: number | null;
  readonly forced: boolean;
  /** How many shards are in each state; null of a task without shards. */
  readonly shards: Readonly<Record<string, number>> | null;
  readonly queuedAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** All task runs of a run with what follows from them. */
export interface RunTasks {
  readonly tasks: readonly Task[];
  readonly byName: ReadonlyMap<string, number>;
  readonly links: Links;
  readonly counts: Readonly<Record<string, number>>;
}

/** A run whose task runs are not loaded yet. */
export const noTasks: RunTasks = {
  tasks: [],
  byName: new Map(),
  links: { before: [], after: [] },
  counts: {},
};

/** Takes in task runs: all of them, or those that changed. */
export function withTasks(known: RunTasks, rows: readonly Task[]): RunTasks {
  const tasks = known.tasks.slice();
  let changed = false;
  let restructured = false;
  for (const row of rows) {
    const old = tasks[row.index];
    if (old === row || (old !== undefined && sameTask(old, row))) continue;
    changed = true;
    restructured ||= old === undefined || !sameStructure(old, row);
    tasks[row.index] = old !== undefined && same(old.needs, row.needs) ? { ...row, needs: old.needs } : row;
  }
  if (!changed) return known;
  const byName = restructured ? placesOf(tasks) : known.byName;
  return {
    tasks,
    byName,
    links: restructured ? linksOf(tasks, byName) : known.links,
    counts: countsOf(tasks, known.counts),
  };
}

/** Where to look first: the task that failed first, else one that runs, else one that waits with a reason. */
export function openingTask({ tasks }: RunTasks): Task | undefined {
  for (const states of [
    ['failed'],
    ['running', 'stopping'],
    ['retrying', 'submitted', 'waiting', 'delayed'],
  ]) {
    const found = tasks.filter(({ state }) => states.includes(state));
    if (found.length > 0) return found.reduce((first, task) => (time(task) < time(first) ? task : first));
  }
  return undefined;
}

/** How long it has waited to start and has run; null where it has not come so far. */
export function timesOf(
  task: Task,
  now: number,
): { readonly waited: number | null; readonly ran: number | null } {
  const { queuedAt, startedAt, endedAt } = task;
  const open = hasEnded(task.state) ? null : now;
  const until = (from: number | null, to: number | null) =>
    from === null || to === null ? null : Math.max(0, to - from);
  return {
    waited: until(queuedAt, startedAt ?? endedAt ?? open),
    ran: until(startedAt, endedAt ?? open),
  };
}

/**
 * The chain of tasks that determined the end of the run: from the last task to end, back through the
 * predecessor that ended last. A task that no worker takes starts when its turn came. In order, by index.
 */
export function criticalPath({ tasks, links }: RunTasks): readonly number[] {
  const ran = (i: number) => tasks[i].endedAt !== null && (tasks[i].startedAt ?? tasks[i].queuedAt) !== null;
  const latest = (indexes: Iterable<number>) => {
    let last = -1;
    for (const i of indexes) if (ran(i) && (last < 0 || ended(tasks[i]) > ended(tasks[last]))) last = i;
    return last;
  };
  const path: number[] = [];
  for (let at = latest(tasks.keys()); at >= 0; at = latest(links.before[at])) path.unshift(at);
  return path;
}

const time = ({ since, index }: Task) => since ?? Number.MAX_SAFE_INTEGER - 1e6 + index;
const ended = ({ endedAt }: Task) => endedAt ?? 0;

function countsOf(
  tasks: readonly Task[],
  known: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of tasks) counts[state] = (counts[state] ?? 0) + 1;
  return same(counts, known) ? known : counts;
}

function sameStructure(a: Task, b: Task): boolean {
  return a.name === b.name && a.type === b.type && same(a.needs, b.needs);
}

function sameTask(a: Task, b: Task): boolean {
  return (Object.keys(b) as (keyof Task)[]).every((key) => same(a[key], b[key]));
}

/** Equality by content, for the flat lists and records of a task. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.is((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}
