/**
 * The life of a run: `decide` maps an event to changes. It only routes; it reads the run and changes nothing.
 * Under any order of events, controls and crashes, every run reaches a final state.
 */
import { isFinal, runMachine, taskMachine } from '../state/index.ts';
import { onBegun, onOutcome } from './attempts.ts';
import { onControl, onRunTimeout } from './controls.ts';
import { Draft, type Facts } from './draft.ts';
import type { Decision, Happening } from './events.ts';
import { cut, settle, walk } from './graph.ts';
import { logicOf } from './logic/index.ts';
import { setRunTimer, startRun } from './rounds.ts';
import type { Run } from './run.ts';
import { adoptTask, onDue } from './task-run.ts';

/** Decides what an event changes: what to commit and apply, and what to do after the commit. */
export function decide(run: Run, event: Happening, facts: Facts): Decision {
  const draft = new Draft(run, event.now, facts, cut);
  route(draft, event);
  walk(draft);
  settle(draft);
  return draft.decision();
}

function route(draft: Draft, event: Happening): void {
  switch (event.type) {
    case 'start':
      startRun(draft, event.scope);
      break;
    case 'begun':
      onBegun(draft, event.attempt, event.worker);
      break;
    case 'outcome':
      onOutcome(draft, event.attempt, event.outcome);
      break;
    case 'control':
      onControl(draft, event.control);
      break;
    case 'child':
    case 'dependency':
      toLogic(draft, event);
      break;
    case 'due':
      if (event.alarm.what !== 'run-timeout') onDue(draft, event.alarm);
      else if (event.alarm.round === draft.fields.round) onRunTimeout(draft, event.alarm.at);
      break;
    case 'more':
      draft.takeUp();
      break;
    case 'adopt':
      adopt(draft, event);
      break;
  }
}

/** Passes an event to a waiting logic task; ignored if the task has ended, or waits in a later round. */
function toLogic(draft: Draft, event: Extract<Happening, { type: 'child' | 'dependency' }>): void {
  const { logic } = draft.run.plan.tasks[event.task];
  const task = draft.task(event.task);
  const open = task.state !== 'pending' && !isFinal(taskMachine, task.state);
  const stale = event.type === 'dependency' && event.round !== task.round;
  if (logic && open && !stale) logicOf(logic).onEvent(draft, event.task, event);
}

/** A new owner adopts the run: timers are set again, and attempts that exist nowhere are settled. */
function adopt(draft: Draft, event: Extract<Happening, { type: 'adopt' }>): void {
  const { state } = draft.fields;
  if (state === 'waiting' || isFinal(runMachine, state)) return;
  setRunTimer(draft);
  for (let i = 0; i < draft.run.tasks.length; i++) {
    const { state } = draft.task(i);
    if (state !== 'pending' && !isFinal(taskMachine, state)) adoptTask(draft, i, event.alive);
  }
}
