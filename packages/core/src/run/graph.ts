/**
 * The walk over the graph: a successor of an ended task becomes ready, is skipped or keeps waiting; a skip
 * propagates at once. When nothing moves any more, the run settles.
 */
import { endingOfPassed, endingOfSkipped } from '../dag/index.ts';
import { isFinal, runMachine, taskMachine } from '../state/index.ts';
import type { Draft } from './draft.ts';
import { finish, isUnderWay } from './finish.ts';
import { hasUnforgiven } from './forgiven.ts';
import { inherited } from './pool.ts';
import { isHeld, verdictOn } from './run.ts';
import { start } from './start.ts';
import { resumeTask, stopTask } from './task-run.ts';

/** Whether a run at its end has failed. */
function hasFailed(draft: Draft): boolean {
  return draft.count('failed', 'killed') > 0 && hasUnforgiven(draft.run.plan, draft.task);
}

/**
 * Cuts a run short: calls back what is in flight, starts only clean-up tasks (those held by a pause
 * continue), and ends the run as failed.
 */
export function cut(draft: Draft, reason: string): void {
  const held = draft.fields.state !== 'running';
  draft.moveRun('cut', { reason });
  draft.run.plan.tasks.forEach(({ cleanup }, i) => {
    const { state, started } = draft.task(i);
    if (state === 'pending' || isFinal(taskMachine, state)) return;
    if (!cleanup && state === 'paused' && started === undefined) withhold(draft, i);
    else if (!cleanup) stopTask(draft, i, 'cut', reason);
    else if (held) resumeTask(draft, i);
  });
}

/**
 * Processes the agenda: starts ready tasks, skips those that can no longer run. A decision takes a limited
 * number of steps, so that none delays all others; the rest follows. A stopped run drops its agenda.
 */
export function walk(draft: Draft): void {
  let next = 0;
  for (; next < draft.agenda.length && next < draft.most; next++) step(draft, draft.agenda[next]);
  draft.leave(next);
  if (!isUnderWay(draft.fields.state) && draft.fields.state !== 'failing') draft.later = [];
}

function step(draft: Draft, i: number): void {
  const { state } = draft.fields;
  const task = draft.task(i);
  if (state === 'stopping' || state === 'broken') return;
  if (isHeld(task) && (state === 'running' || state === 'failing')) begin(draft, i);
  if (task.state !== 'pending') return;
  const counters = draft.countersAt(i);
  const verdict = verdictOn(draft.run.plan, i, counters, draft.fields);
  if (verdict === 'ready') begin(draft, i);
  else if (verdict === 'skip') {
    const ending = endingOfSkipped(counters);
    const reason = ending === 'failed' ? 'a task before it failed' : 'its branch was not chosen';
    finish(draft, i, 'skip', { ending, reason });
  }
}

/** Begins a task that may run now, depending on the state of its run. */
function begin(draft: Draft, i: number): void {
  const { plan } = draft.run;
  const { spec, cleanup } = plan.tasks[i];
  const { state } = draft.fields;
  draft.patch(i, { pool: inherited(plan, i, draft.task) });
  if (state === 'pausing' || state === 'paused') draft.move(i, 'hold');
  else if (state === 'failing' && !cleanup) withhold(draft, i);
  else if (spec.disabled)
    finish(draft, i, 'pass', { ending: endingOfPassed(draft.countersAt(i)), reason: 'disabled' });
  else if (spec.delay > 0 && !draft.run.request.dryRun) {
    const at = draft.now + spec.delay;
    draft.move(i, 'delay', { due: at, started: draft.now });
    draft.effects.push({ type: 'timer', alarm: { what: 'delay', task: i, at } });
  } else start(draft, i);
}

/** Withholds a task that would have run if its run had not been cut. */
function withhold(draft: Draft, i: number): void {
  finish(draft, i, 'skip', { ending: 'failed', reason: draft.fields.reason ?? 'the run is ending' });
}

/** Ends the round or rests the run when nothing moves any more. Throws if a run could never move again. */
export function settle(draft: Draft): void {
  const { state } = draft.fields;
  if (draft.later.length > 0) return;
  if (draft.count('delayed', 'submitted', 'running', 'retrying', 'waiting', 'stopping') > 0) return;
  const open = draft.count('pending', 'paused');
  if (state === 'stopping') {
    if (open > 0 || draft.count('killed') > 0) draft.moveRun('halt');
    else draft.moveRun(hasFailed(draft) ? 'fail' : 'succeed');
  } else if (open > 0) {
    if (state === 'running' || state === 'failing') {
      throw new Error(`run ${draft.run.request.id} has ${open} tasks left that nothing will start`);
    }
    if (state !== 'pausing') return;
    draft.moveRun('hold');
  } else if (state === 'waiting' || isFinal(runMachine, state)) return;
  else draft.moveRun(state === 'failing' || hasFailed(draft) ? 'fail' : 'succeed');
  draft.settle();
}
