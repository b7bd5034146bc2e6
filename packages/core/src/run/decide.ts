/**
 * The life of a run: `decide` takes what happened and says what changes. It only routes; it reads the run and
 * changes nothing. Applied in any order of events, controls and crashes, every run reaches a final state.
 */
import { isFinal, runMachine, taskMachine } from '../state/index.ts';
import { onBegun, onOutcome } from './attempts.ts';
import { onControl, onRunTimeout } from './controls.ts';
import { Draft, type Facts } from './draft.ts';
import type { Decision, Happening } from './events.ts';
import { settle, walk } from './graph.ts';
import { logicOf } from './logic/index.ts';
import { setRunTimer, startRun } from './rounds.ts';
import type { Run } from './run.ts';
import { adoptTask, onDue } from './task-run.ts';

/** What an event means for a run: what to commit and apply, and what to do once it is committed. */
export function decide(run: Run, event: Happening, facts: Facts): Decision {
  const draft = new Draft(run, event.now, facts);
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

/** What a waiting logic task hears; one that has ended, or waits in a later round, does not. */
function toLogic(draft: Draft, event: Extract<Happening, { type: 'child' | 'dependency' }>): void {
  const { logic } = draft.run.plan.tasks[event.task];
  const task = draft.task(event.task);
  const open = task.state !== 'pending' && !isFinal(taskMachine, task.state);
  const stale = event.type === 'dependency' && event.round !== task.round;
  if (logic && open && !stale) logicOf(logic).onEvent(draft, event.task, event);
}

/** A new owner takes the run over: timers are set again, attempts that are nowhere any more are settled. */
function adopt(draft: Draft, event: Extract<Happening, { type: 'adopt' }>): void {
  const { state } = draft.fields;
  if (state === 'waiting' || isFinal(runMachine, state)) return;
  setRunTimer(draft);
  for (let i = 0; i < draft.run.tasks.length; i++) {
    const { state } = draft.task(i);
    if (state !== 'pending' && !isFinal(taskMachine, state)) adoptTask(draft, i, event.alive);
  }
}
