/**
 * The words of dependencies: what a run waits for (items in groups, joined by AND or OR), and the facts about
 * other workflows that decide it.
 */
import type { DependencyWindow } from './windows.ts';

/** How an item, a group or a whole dependency stands. */
export type DependencyState = 'success' | 'waiting' | 'failed';

export type Relation = 'and' | 'or';

/** What must have succeeded in the other workflow: the run as a whole, every task of it, or one task. */
export type Watched = 'workflow' | 'all' | { task: string };

/** What a failure there means: fail at once, or wait some milliseconds for a rerun before failing. */
export type OnFailure = 'fail' | { wait: number };

/** One condition on one other workflow. */
export interface DependencyItem {
  project: string;
  workflow: string;
  watch: Watched;
  window: DependencyWindow;
  onFailure: OnFailure;
}

/** Items joined by one relation. */
export interface DependencyGroup {
  relation: Relation;
  items: readonly DependencyItem[];
}

/** The whole condition of a dependent task: groups joined by one relation. */
export interface Dependency {
  relation: Relation;
  groups: readonly DependencyGroup[];
}

/** How a task ended; `skipped` is one that was passed over: forbidden, or on a branch not taken. */
export type TaskFact = 'success' | 'failed' | 'stopped' | 'skipped' | 'running';

/**
 * One round of a run of another workflow. `tasks` need hold only what the round ran or decided: a task it does not
 * name keeps the state that an earlier round of the same business time gave it.
 */
export interface RoundFact {
  project: string;
  workflow: string;
  businessTime: number;
  state: 'success' | 'failed' | 'stopped' | 'running';
  tasks: Readonly<Record<string, TaskFact>>;
  /** Absent while the round is running. */
  endedAt?: number;
  /** Of a round that is running, where it is known: its run, and what that is doing. */
  open?: { run: number; state: string };
}

/**
 * Joins states. AND: one failure decides, then one that waits; OR: one success decides, then one that waits.
 * Of nothing, AND is met and OR has failed.
 */
export function combine(relation: Relation, states: readonly DependencyState[]): DependencyState {
  const order: readonly DependencyState[] =
    relation === 'and' ? ['failed', 'waiting', 'success'] : ['success', 'waiting', 'failed'];
  return order.find((state) => states.includes(state)) ?? order[2];
}
