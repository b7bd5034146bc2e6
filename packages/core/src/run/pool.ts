/**
 * What upstream tasks hand on: each name with its value, who gave it and when. A task inherits from all its ended
 * predecessors; along one path the later task wins, between paths a non-empty value wins, then the earlier one.
 * It follows from the ended tasks alone, in whatever order they are looked at, so a rebuilt run has the same
 * pools. A pool is never changed: tasks that add nothing share their predecessor's.
 */
import { predecessors, successors } from '../dag/index.ts';
import type { Parameters } from '../model/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

/** One handed-on value: the task that gave it, and when that task ended. */
interface Handed {
  readonly value: string;
  readonly at: number;
  readonly by: number;
}

/** Values by name. */
export type Pool = ReadonlyMap<string, Handed>;

const empty: Pool = new Map();

/** The pool of a task: what it inherits and, once it has succeeded, its own outputs over that. */
export function poolOf(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool | undefined {
  const task = taskAt(i);
  if (task.state === 'pending' || task.state === 'excluded') return undefined;
  const pool = inherited(plan, i, taskAt);
  const own = Object.entries(ownOutputs(task));
  if (own.length === 0) return pool;
  return new Map([...pool, ...own.map(([name, value]) => [name, { value, at: task.since, by: i }] as const)]);
}

/** What a task is handed when its turn comes. */
export function inherited(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool {
  return joined(Array.from(predecessors(plan.dag, i), taskAt));
}

/** What ended tasks hand on together. */
export function joined(tasks: readonly TaskRun[]): Pool {
  let pool = empty;
  let copy: Map<string, Handed> | undefined;
  for (const task of tasks) {
    if (!task.pool || !isFinal(taskMachine, task.state)) continue;
    if (pool.size === 0) pool = task.pool;
    else {
      copy = merge(pool, task.pool, none, copy);
      pool = copy ?? pool;
    }
  }
  return pool;
}

/**
 * A task ended: brings the pools of those after it up to date that did not wait for it (they started or were
 * skipped early, or belong to an earlier round). Most often there are none.
 */
export function refreshPools(
  plan: Plan,
  ended: number,
  taskAt: (i: number) => TaskRun,
  set: (i: number, pool: Pool) => void,
): void {
  const changed = [ended];
  for (let next = changed.pop(); next !== undefined; next = changed.pop()) {
    const given = taskAt(next).pool;
    if (!given) continue;
    for (const s of successors(plan.dag, next)) {
      const after = taskAt(s);
      const pool = after.pool && merge(after.pool, given, ownOutputs(after));
      if (!pool) continue;
      set(s, pool);
      if (isFinal(taskMachine, after.state)) changed.push(s);
    }
  }
}

/** Whether two pools hand on the same. */
export function samePool(a: Pool, b: Pool | undefined): boolean {
  if (a === b) return true;
  if (a.size !== b?.size) return false;
  for (const [name, { value, at, by }] of a) {
    const other = b.get(name);
    if (other?.value !== value || other.at !== at || other.by !== by) return false;
  }
  return true;
}

function ownOutputs({ state, outputs }: TaskRun): Parameters {
  return state === 'success' ? (outputs ?? none) : none;
}

const none: Parameters = {};

/**
 * Takes into a copy of `pool` what the other has better, except names in `kept`; undefined when that is nothing.
 * A copy made before is changed further, so that a join of many costs what they hand on.
 */
function merge(
  pool: Pool,
  other: Pool,
  kept: Parameters,
  copy?: Map<string, Handed>,
): Map<string, Handed> | undefined {
  let merged = copy;
  for (const [name, handed] of other) {
    const mine = pool.get(name);
    if ((mine && !better(handed, mine)) || Object.hasOwn(kept, name)) continue;
    merged ??= new Map(pool);
    merged.set(name, handed);
  }
  return merged;
}

/** A total order, so that it does not matter who is compared with whom first. */
function better(a: Handed, b: Handed): boolean {
  if ((a.value === '') !== (b.value === '')) return b.value === '';
  return a.at === b.at ? a.by < b.by : a.at < b.at;
}
