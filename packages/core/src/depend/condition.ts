/**
 * The model of dependencies: what a run waits for (items in groups, joined by AND or OR), and the facts about
 * other workflows that decide it.
 */
import type { DependencyWindow } from './windows.ts';

/** State of an item, a group or a whole dependency. */
export type DependencyState = 'success' | 'waiting' | 'failed';

export type Relation = 'and' | 'or';

/** What must have succeeded in the other workflow: the run as a whole, every task of it, or one task. */
export type Watched = 'workflow' | 'all' | { task: string };

/** The effect of a failure there: fail at once, or wait some milliseconds for a rerun before failing. */
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

/** How a task ended; `skipped` means passed over: disabled, or on a branch not taken. */
export type TaskFact = 'success' | 'failed' | 'stopped' | 'skipped' | 'running';

/**
 * One round of a run of another workflow. `tasks` needs only the tasks that the round ran or decided: any
 * other task keeps the state of an earlier round with the same business time.
 */
export interface RoundFact {
  project: string;
  workflow: string;
  businessTime: number;
  state: 'success' | 'failed' | 'stopped' | 'running';
  tasks: Readonly<Record<string, TaskFact>>;
  /** Absent while the round is running. */
  endedAt?: number;
  /** For a running round, if known: its run and the run's state. */
  open?: { run: number; state: string };
}

/**
 * Joins states. AND: one failure decides, then one that waits. OR: one success decides, then one that waits.
 * Without states, AND is met and OR has failed.
 */
export function combine(relation: Relation, states: readonly DependencyState[]): DependencyState {
  const order: readonly DependencyState[] =
    relation === 'and' ? ['failed', 'waiting', 'success'] : ['success', 'waiting', 'failed'];
  return order.find((state) => states.includes(state)) ?? order[2];
}
