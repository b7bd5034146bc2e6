/**
 * What upstream tasks hand on: each name with its value and when its task ended. A task inherits from all its
 * ended predecessors; along one path the later task wins, between paths a non-empty value wins, then the earlier
 * one. It follows from the ended tasks alone, so a rebuilt run has the same pools. A pool is never changed: tasks
 * that add nothing share their predecessor's.
 */
import { predecessors, successors } from '../dag/index.ts';
import type { Parameters } from '../model/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

/** One handed-on value. */
interface Handed {
  readonly value: string;
  readonly at: number;
}

/** Values by name. */
export type Pool = ReadonlyMap<string, Handed>;

const empty: Pool = new Map();

/** The pool of a task: what it inherits and, once it has succeeded, its own outputs over that. */
export function poolOf(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool | undefined {
  const { state, outputs, since } = taskAt(i);
  if (state === 'pending' || state === 'excluded') return undefined;
  const inherited = inherit(plan, i, taskAt);
  return state === 'success' ? withOutputs(inherited, outputs, since) : inherited;
}

/**
 * A task ended: brings the pools of those after it up to date that did not wait for it (they started early, or
 * belong to an earlier round). Most often there are none.
 */
export function refreshPools(
  plan: Plan,
  ended: number,
  taskAt: (i: number) => TaskRun,
  set: (i: number, pool: Pool) => void,
): void {
  const changed = [ended];
  for (let next = changed.pop(); next !== undefined; next = changed.pop()) {
    for (const s of successors(plan.dag, next)) {
      const before = taskAt(s).pool;
      const pool = before && poolOf(plan, s, taskAt);
      if (!before || !pool || samePool(before, pool)) continue;
      set(s, pool);
      if (isFinal(taskMachine, taskAt(s).state)) changed.push(s);
    }
  }
}

function inherit(plan: Plan, i: number, taskAt: (i: number) => TaskRun): Pool {
  let pool: Pool = empty;
  let own: Map<string, Handed> | undefined;
  for (const p of predecessors(plan.dag, i)) {
    const before = taskAt(p);
    const other = before.pool;
    if (!other || other.size === 0 || other === pool || !isFinal(taskMachine, before.state)) continue;
    if (pool.size === 0) {
      pool = other;
      continue;
    }
    own ??= new Map(pool);
    for (const [name, handed] of other) {
      const mine = own.get(name);
      if (!mine || better(handed, mine)) own.set(name, handed);
    }
    pool = own;
  }
  return pool;
}

function withOutputs(pool: Pool, outputs: Parameters | undefined, at: number): Pool {
  const entries = Object.entries(outputs ?? {});
  if (entries.length === 0) return pool;
  const own = new Map(pool);
  for (const [name, value] of entries) own.set(name, { value, at });
  return own;
}

function better(a: Handed, b: Handed): boolean {
  if ((a.value === '') !== (b.value === '')) return b.value === '';
  return a.at < b.at;
}

/** Whether two pools hand on the same. */
export function samePool(a: Pool, b: Pool | undefined): boolean {
  if (a === b) return true;
  if (a.size !== b?.size) return false;
  for (const [name, { value, at }] of a) {
    const other = b.get(name);
    if (other?.value !== value || other.at !== at) return false;
  }
  return true;
}
