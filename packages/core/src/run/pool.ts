/**
 * Values passed on by upstream tasks: each name with its value, its task and time. A task inherits from all
 * its ended predecessors; along one path the later task wins, between paths a non-empty value wins, then the
 * earlier one. The result depends only on the ended tasks, in any order, so a rebuilt run has the same pools.
 * Pools are immutable: tasks that add nothing share their predecessor's.
 */
import { predecessors, successors } from '../dag/index.ts';
import type { Parameters } from '../model/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

/** One value: the task that set it, and when that task ended. */
interface Handed {
  readonly value: string;
  readonly at: number;
  readonly by: number;
}

/** Values by name. */
export type Pool = ReadonlyMap<string, Handed>;

const empty: Pool = new Map();

/** The pool of a task: its inherited values, overlaid with its own outputs once it has succeeded. */
export function poolOf(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool | undefined {
  const task = taskAt(i);
  if (task.state === 'pending' || task.state === 'excluded') return undefined;
  const pool = inherited(plan, i, taskAt);
  const own = Object.entries(ownOutputs(task));
  if (own.length === 0) return pool;
  return new Map([...pool, ...own.map(([name, value]) => [name, { value, at: task.since, by: i }] as const)]);
}

/** The values a task inherits when its turn comes. */
export function inherited(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool {
  return joined(Array.from(predecessors(plan.dag, i), taskAt));
}

/** The values that ended tasks pass on together. */
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
 * Updates the pools of tasks after an ended one that did not wait for it: they started or were skipped early,
 * or belong to an earlier round. Usually there are none.
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

/** Whether two pools pass on the same values. */
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
 * Merges the better values of another pool into a copy of `pool`, except names in `kept`; undefined if there
 * are none. An existing copy is reused, so a join of many costs only what they pass on.
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

/** A total order, so the order of comparisons does not matter. */
function better(a: Handed, b: Handed): boolean {
  if ((a.value === '') !== (b.value === '')) return b.value === '';
  return a.at === b.at ? a.by < b.by : a.at < b.at;
}
