/** Controls: their refusals and their effects. */
import { isFinal, type RunState, runMachine, type TaskState, taskMachine } from '../state/index.ts';
import { type Said, said } from '../texts/index.ts';
import { allowedIn } from './allowed.ts';
import { abandon } from './attempts.ts';
import type { Draft } from './draft.ts';
import type { Control } from './events.ts';
import { finish, isUnderWay } from './finish.ts';
import { cut } from './graph.ts';
import { answerRefusal, answerTask, dropWaits, setParallel } from './logic/index.ts';
import { recover, rerun, runDeadline, setRunTimer } from './rounds.ts';
import type { Run } from './run.ts';
import { holdTask, hurry, resumeTask, stopTask } from './task-run.ts';

/** Why a control is refused now; undefined if it is allowed. Agrees with `onControl`. */
export function refusal(run: Run, control: Control): Said | undefined {
  const verdict = allowedIn[control.type][run.fields.state];
  if (verdict !== true) return verdict;
  if (control.type === 'rerun') {
    const unknown = control.scope.tasks.find((name) => !run.plan.index.has(name));
    if (unknown !== undefined) return said('control.noTask', { task: unknown });
    if (control.scope.kind !== 'all' && control.scope.tasks.length === 0) return said('control.nameTask');
  }
  if (control.type === 'set-parallel' && run.plan.tasks[0]?.logic !== 'backfill')
    return said('control.notBackfill');
  if (!('task' in control)) return undefined;
  const i = run.plan.index.get(control.task);
  if (i === undefined) return said('control.noTask', { task: control.task });
  if (control.type === 'answer') return answerRefusal(run, i, control);
  const grouped = run.plan.tasks[i].spec.group !== undefined;
  return refuseTask(control.type, run.fields.state, run.tasks[i].state, grouped);
}

/** Carries a control out, or says why not. */
export function onControl(draft: Draft, control: Control): void {
  const reason = refusal(draft.run, control);
  if (reason !== undefined) {
    draft.effects.push({ type: 'refused', control, reason });
    return;
  }
  switch (control.type) {
    case 'pause':
      pause(draft);
      break;
    case 'resume':
      resume(draft);
      break;
    case 'stop':
      stop(draft);
      break;
    case 'recover':
      recover(draft);
      break;
    case 'rerun':
      rerun(draft, control.scope);
      break;
    case 'set-params':
      draft.fields = { ...draft.fields, params: { ...draft.fields.params, ...control.params } };
      break;
    case 'set-parallel':
      setParallel(draft, 0, control.parallel);
      break;
    case 'answer':
      answerTask(draft, draft.run.plan.index.get(control.task) ?? -1, control);
      break;
    default:
      onTask(draft, control.type, draft.run.plan.index.get(control.task) ?? -1, control.reason);
  }
}

/** Handles the run's time limit. A timer set before a pause is stale. */
export function onRunTimeout(draft: Draft, at: number): void {
  const { timeout, name } = draft.run.plan.workflow;
  const { state, pausedAt } = draft.fields;
  if (!timeout || !isUnderWay(state) || pausedAt !== undefined || at !== runDeadline(draft)) return;
  if (timeout.action !== 'fail') {
    draft.effects.push({
      type: 'alert',
      kind: 'run-timeout',
      text: `run of ${name} takes longer than its time limit`,
    });
  }
  if (timeout.action === 'warn') draft.fields = { ...draft.fields, warned: true };
  else cut(draft, 'the run took longer than its time limit');
}

/** Pauses a run. One that waits for its turn has nothing to end first and is paused at once. */
function pause(draft: Draft): void {
  if (draft.fields.state === 'waiting') {
    draft.moveRun('pause', { unstarted: true });
    draft.settle();
    return;
  }
  draft.moveRun('pause');
  eachOpen(draft, (i) => holdTask(draft, i));
}

function resume(draft: Draft): void {
  if (draft.fields.unstarted) {
    // Its time limit counts from its start: an earlier pause does not shorten it.
    draft.moveRun('wait', { unstarted: undefined, paused: undefined });
    return;
  }
  draft.moveRun('resume');
  setRunTimer(draft);
  eachOpen(draft, (i) => resumeTask(draft, i));
}

function stop(draft: Draft): void {
  if (draft.fields.unstarted) resume(draft);
  const wasOpen = draft.fields.state !== 'waiting' && draft.fields.state !== 'broken';
  draft.moveRun('stop');
  if (wasOpen) eachOpen(draft, (i) => stopTask(draft, i, 'stop', 'the run was stopped'));
  else draft.settle();
}

function onTask(draft: Draft, control: 'force' | 'kill' | 'start-now', i: number, reason?: string): void {
  if (control === 'start-now') hurry(draft, i);
  else if (control === 'kill') stopTask(draft, i, 'kill', reason ?? 'killed by hand');
  else {
    abandon(draft, i);
    dropWaits(draft, i);
    finish(draft, i, 'force', { forced: true, reason: reason ?? 'forced by hand' });
  }
}

function refuseTask(
  control: 'force' | 'kill' | 'start-now',
  run: RunState,
  task: TaskState,
  grouped: boolean,
): Said | undefined {
  const over = isFinal(taskMachine, task);
  if (control === 'start-now')
    return task === 'delayed' || task === 'retrying' || (task === 'submitted' && grouped)
      ? undefined
      : said('control.taskNotWaiting');
  if (task === 'pending') return said('control.taskNotStarted');
  if (control === 'kill') return over ? said('control.taskEnded') : undefined;
  if (!isFinal(runMachine, run)) return over ? said('control.taskEndedForce') : undefined;
  return task === 'failed' || task === 'killed' ? undefined : said('control.taskNotFailed');
}

function eachOpen(draft: Draft, visit: (i: number) => void): void {
  for (let i = 0; i < draft.run.tasks.length; i++) {
    const { state } = draft.task(i);
    if (state !== 'pending' && !isFinal(taskMachine, state)) visit(i);
  }
}
