/**
 * Which failures fail a run. A failure is forgiven if its task ignores failures, or if only conditions tasks
 * follow it and one of them ran because of it: the failure decided its branch, and that branch had tasks to
 * run.
 */
import { successors } from '../dag/index.ts';
import type { ConditionsSpec } from '../model/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import { causesOf } from './logic/causes.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

type TaskAt = (i: number) => TaskRun;

/** `open`: a conditions task that has not run yet may still forgive it. */
type Verdict = 'forgiven' | 'open' | 'unforgiven';

/** How a failed task counts against its run. */
export function verdictOnFailure(plan: Plan, i: number, taskAt: TaskAt): Verdict {
  const { spec, judged } = plan.tasks[i];
  if (spec.ignoreFailure) return 'forgiven';
  if (!judged) return 'unforgiven';
  const { round } = taskAt(i);
  let verdict: Verdict = 'unforgiven';
  for (const s of successors(plan.dag, i)) {
    const after = taskAt(s);
    if (after.round < round) continue;
    if (tookItsWay(plan, i, s, taskAt)) return 'forgiven';
    if (!isFinal(taskMachine, after.state)) verdict = 'open';
  }
  return verdict;
}

/** Whether a run has a failure that counts against it; checks every task. */
export function hasUnforgiven(plan: Plan, taskAt: TaskAt): boolean {
  return plan.tasks.some((_, i) => isFailure(taskAt(i)) && verdictOnFailure(plan, i, taskAt) !== 'forgiven');
}

/** Whether a task run ended badly. */
export function isFailure({ state }: Pick<TaskRun, 'state'>): boolean {
  return state === 'failed' || state === 'killed';
}

/** Whether a conditions task took its branch because of this failure, and its round ran that branch. */
function tookItsWay(plan: Plan, failed: number, i: number, taskAt: TaskAt): boolean {
  const { state, branch, round } = taskAt(i);
  if (state !== 'success' || !branch?.some((to) => taskAt(to).round >= round)) return false;
  return causesOf(plan, plan.tasks[i].spec.with as ConditionsSpec, taskAt).failures.has(failed);
}
