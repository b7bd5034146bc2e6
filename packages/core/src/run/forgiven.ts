/**
 * Which failures fail a run. A failure is forgiven if its task ignores failures, or if all tasks that need it
 * ask for failures and one of them ran because of it: a conditions task whose branch it decided, if that branch
 * had tasks to run, or a `one-failed` task that started after it.
 */
import { successors } from '../dag/index.ts';
import type { ConditionsSpec } from '../model/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import { causesOf } from './logic/causes.ts';
import type { Plan } from './plan.ts';
import type { TaskRun } from './run.ts';

type TaskAt = (i: number) => TaskRun;

/** `open`: a task that has not ended yet may still forgive it. */
type Verdict = 'forgiven' | 'open' | 'unforgiven';

/** How a failed task counts against its run. */
export function verdictOnFailure(plan: Plan, i: number, taskAt: TaskAt): Verdict {
  const { spec, judged } = plan.tasks[i];
  if (spec.ignoreFailure) return 'forgiven';
  if (!judged) return 'unforgiven';
  const { round } = taskAt(i);
  let verdict: Verdict = 'unforgiven';
  for (const s of successors(plan.dag, i)) {
    if (taskAt(s).round < round) continue;
    const by =
      plan.tasks[s].logic === 'conditions' ? byBranch(plan, i, s, taskAt) : byStart(taskAt(i), taskAt(s));
    if (by === 'forgiven') return by;
    if (by === 'open') verdict = by;
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

/** A conditions task forgives if it took its branch because of this failure, and its round ran that branch. */
function byBranch(plan: Plan, failed: number, i: number, taskAt: TaskAt): Verdict {
  const { state, branch, round } = taskAt(i);
  if (!isFinal(taskMachine, state)) return 'open';
  if (state !== 'success' || !branch?.some((to) => taskAt(to).round >= round)) return 'unforgiven';
  const { failures } = causesOf(plan, plan.tasks[i].spec.with as ConditionsSpec, taskAt);
  return failures.has(failed) ? 'forgiven' : 'unforgiven';
}

/** A `one-failed` task forgives what had failed when it started; its own failure counts by itself. */
function byStart(failed: TaskRun, { state, started }: TaskRun): Verdict {
  if (started !== undefined && started < failed.since) return 'unforgiven';
  if (!isFinal(taskMachine, state)) return 'open';
  return started !== undefined && (state === 'success' || state === 'failed') ? 'forgiven' : 'unforgiven';
}
