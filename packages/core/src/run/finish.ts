/** The end of a task run: its successors learn of it, and a failure may cut the run short. */
import { predecessors, successors } from '../dag/index.ts';
import { isFinal, type RunState, taskMachine } from '../state/index.ts';
import type { Draft } from './draft.ts';
import { endingOf } from './ending.ts';
import { isFailure, verdictOnFailure } from './forgiven.ts';
import { poolOf, refreshPools } from './pool.ts';
import type { TaskRun } from './run.ts';

/** Ends a task run and informs its successors. */
export function finish(
  draft: Draft,
  i: number,
  event: 'succeed' | 'fail' | 'kill' | 'skip' | 'pass' | 'force',
  patch: Partial<TaskRun> = {},
): void {
  const { plan } = draft.run;
  const wasOpen = !isFinal(taskMachine, draft.task(i).state);
  draft.move(i, event, { ...patch, due: undefined });
  draft.patch(i, { pool: poolOf(plan, i, draft.task) });
  refreshPools(plan, i, draft.task, (s, pool) => draft.patch(s, { pool }));
  if (!wasOpen) return;
  const ended = draft.task(i);
  for (const s of successors(plan.dag, i)) {
    if (draft.task(s).round !== draft.fields.round) continue;
    const ending = endingOf(plan, i, ended, s);
    if (!ending) continue;
    const counters = draft.countersAt(s);
    draft.setCounters(s, { ...counters, open: counters.open - 1, [ending]: counters[ending] + 1 });
    if (draft.task(s).state === 'pending') draft.agenda.push(s);
  }
  if (draft.run.request.onFailure === 'end') cutIfFailed(draft, i);
}

/**
 * Cuts the run short once a failure counts against it: that of the ended task, or an earlier one that this
 * task was the last that could have forgiven.
 */
function cutIfFailed(draft: Draft, ended: number): void {
  const { plan } = draft.run;
  const suspects = isFailure(draft.task(ended)) ? [ended] : [];
  if (plan.tasks[ended].judge) suspects.push(...predecessors(plan.dag, ended));
  for (const i of suspects) {
    if (!isFailure(draft.task(i)) || verdictOnFailure(plan, i, draft.task) !== 'unforgiven') continue;
    if (isUnderWay(draft.fields.state)) draft.cut(`task ${plan.tasks[i].spec.name} failed`);
  }
}

/** Whether a run in this state can still be cut short. */
export function isUnderWay(state: RunState): boolean {
  return state === 'running' || state === 'pausing' || state === 'paused';
}
