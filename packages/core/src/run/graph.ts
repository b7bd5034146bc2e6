/**
 * The walk over the graph: a task that ends informs its successors, each of which becomes ready, is skipped
 * or keeps waiting; a skip propagates at once. When nothing moves any more, the run settles.
 */
import { endingOfPassed, endingOfSkipped, predecessors, successors } from '../dag/index.ts';
import { isFinal, type RunState, runMachine, taskMachine } from '../state/index.ts';
import { submit } from './attempts.ts';
import type { Draft } from './draft.ts';
import { endingOf } from './ending.ts';
import { hasUnforgiven, isFailure, verdictOnFailure } from './forgiven.ts';
import { logicOf } from './logic/index.ts';
import { inherited, poolOf, refreshPools } from './pool.ts';
import { isHeld, type TaskRun, verdictOn } from './run.ts';
import { resumeTask, stopTask } from './task-run.ts';

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
    if (isUnderWay(draft.fields.state)) cut(draft, `task ${plan.tasks[i].spec.name} failed`);
  }
}

/** Whether a run at its end has failed. */
function hasFailed(draft: Draft): boolean {
  return draft.count('failed', 'killed') > 0 && hasUnforgiven(draft.run.plan, draft.task);
}

/** Whether a run in this state can still be cut short. */
export function isUnderWay(state: RunState): boolean {
  return state === 'running' || state === 'pausing' || state === 'paused';
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

/** Starts a task whose delay, if any, is over. */
export function start(draft: Draft, i: number): void {
  const { logic } = draft.run.plan.tasks[i];
  draft.patch(i, { due: undefined, started: draft.now });
  if (logic) {
    logicOf(logic).onReady(draft, i);
    if (draft.task(i).state === 'waiting') setLogicTimer(draft, i);
  } else if (draft.run.request.dryRun) finish(draft, i, 'succeed', { reason: 'dry run' });
  else submit(draft, i);
}

/** Sets the time limit of a waiting logic task, if it has one. A pause sets no timer: the resume does. */
export function setLogicTimer(draft: Draft, i: number): void {
  const at = logicDeadline(draft, i);
  const { round, warned } = draft.task(i);
  if (at === undefined || warned || draft.fields.pausedAt !== undefined) return;
  draft.effects.push({ type: 'timer', alarm: { what: 'logic-timeout', task: i, round, at } });
}

/** When a waiting logic task reaches its time limit: counted from its start, without pauses since. */
export function logicDeadline(draft: Draft, i: number): number | undefined {
  const { timeout } = draft.run.plan.tasks[i].spec;
  const { started = draft.now, pausedFor = 0 } = draft.task(i);
  return timeout && started + timeout.after + pausedFor;
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
