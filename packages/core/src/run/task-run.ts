/** Operations of a run on one of its task runs: stop, hold, resume, and wake it when a timer is due. */

import type { AttemptKey } from './attempt.ts';
import {
  callBack,
  keyOf,
  kills,
  lineOf,
  mapLines,
  onOutcome,
  onRetryDue,
  openLine,
  resumeLines,
  setAttemptTimer,
  setRetryTimer,
  setShard,
  warnOfTimeout,
} from './attempts.ts';
import type { Draft } from './draft.ts';
import type { Alarm } from './events.ts';
import { finish } from './finish.ts';
import { logicOf } from './logic/index.ts';
import { type Cause, isHeld } from './run.ts';
import { logicDeadline, setLogicTimer, start } from './start.ts';

/**
 * Ends a task run early, whatever its state. If workers have attempts of it, it ends after the last of them.
 */
export function stopTask(draft: Draft, i: number, cause: Cause, reason: string): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  if (logic && task.state !== 'delayed') {
    logicOf(logic).onStop(draft, i, reason);
    return;
  }
  mapLines(draft, i, (line, k) => {
    if (line.state === 'out') return callBack(draft, i, k, line, cause);
    const open = line.state === 'idle' || line.state === 'retrying';
    return open ? { ...line, state: 'killed', due: undefined } : line;
  });
  if (!task.shards.some(({ state }) => state === 'out')) finish(draft, i, 'kill', { reason });
  else if (task.state === 'stopping') draft.patch(i, { reason });
  else draft.move(i, 'stop', { reason });
}

/** Holds a task run while its run is paused; attempts on workers run to their end. */
export function holdTask(draft: Draft, i: number): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  if (task.state === 'delayed' || task.state === 'retrying') draft.move(i, 'hold');
  else if (logic && task.state === 'waiting') logicOf(logic).onPause(draft, i);
  else {
    mapLines(draft, i, (line, k) =>
      line.state === 'out' && !line.cause ? callBack(draft, i, k, line, 'pause') : line,
    );
  }
}

/** Resumes a task run that is paused, or was told to pause. */
export function resumeTask(draft: Draft, i: number): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  const paused = task.state === 'paused';
  if (isHeld(task)) draft.agenda.push(i);
  else if (paused && task.due !== undefined && task.due > draft.now) {
    draft.move(i, 'delay');
    draft.effects.push({ type: 'timer', alarm: { what: 'delay', task: i, at: task.due } });
  } else if (paused && task.due !== undefined) start(draft, i);
  else if (logic && (paused || task.state === 'waiting')) {
    draft.patch(i, { pausedFor: (task.pausedFor ?? 0) + draft.pauseEnded });
    logicOf(logic).onResume(draft, i);
    if (draft.task(i).state === 'waiting') setLogicTimer(draft, i);
  } else if (task.shards.length > 0) resumeLines(draft, i);
}

/** Continues at once a task that is delayed, waits to retry or waits for a slot of its task group. */
export function hurry(draft: Draft, i: number): void {
  const { state, shards } = draft.task(i);
  shards.forEach((line, k) => {
    if (line.state === 'out' && line.worker === undefined && !line.cause)
      draft.admit.push(keyOf(draft, i, k, line.attempt));
  });
  if (state === 'delayed') start(draft, i);
  else resumeLines(draft, i, true);
}

/** Handles a task's timer; ignores it if its subject has moved on. */
export function onDue(draft: Draft, alarm: Exclude<Alarm, { what: 'run-timeout' }>): void {
  switch (alarm.what) {
    case 'delay': {
      const task = draft.task(alarm.task);
      if (task.state === 'delayed' && task.due === alarm.at) start(draft, alarm.task);
      break;
    }
    case 'retry':
      onRetryDue(draft, alarm.task, Math.max(alarm.shard, 0), alarm.at);
      break;
    case 'queue':
    case 'no-worker': {
      const { task } = alarm.attempt;
      const k = lineOf(alarm.attempt);
      const line = openLine(draft, alarm.attempt);
      if (line && !line.cause && line.worker === undefined)
        setShard(draft, task, k, callBack(draft, task, k, line, alarm.what));
      break;
    }
    case 'timeout':
      onTimeout(draft, alarm.attempt);
      break;
    case 'logic-timeout':
      onLogicTimeout(draft, alarm.task, alarm);
      break;
  }
}

/** After a crash of the owner: sets timers again and settles attempts that no longer exist. */
export function adoptTask(draft: Draft, i: number, alive: (attempt: AttemptKey) => boolean): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  const waits = task.started !== undefined && task.due === undefined;
  if (task.state === 'delayed' && task.due !== undefined) {
    draft.effects.push({ type: 'timer', alarm: { what: 'delay', task: i, at: task.due } });
  } else if (logic && waits) setLogicTimer(draft, i);
  task.shards.forEach((shard, k) => {
    const key = keyOf(draft, i, k, shard.attempt);
    if (shard.state === 'retrying' && task.state !== 'paused')
      setRetryTimer(draft, i, k, shard.due ?? draft.now);
    else if (shard.state === 'out' && alive(key)) setAttemptTimer(draft, key, shard);
    else if (shard.state === 'out') onOutcome(draft, key, { state: 'withdrawn' });
  });
}

function onTimeout(draft: Draft, attempt: AttemptKey): void {
  const { task } = attempt;
  const k = lineOf(attempt);
  const line = openLine(draft, attempt);
  if (!line || kills(line.cause)) return;
  warnOfTimeout(draft, task, 'runs');
  if (draft.run.plan.tasks[task].spec.timeout?.action === 'warn') setShard(draft, task, k, { warned: true });
  else {
    setShard(draft, task, k, callBack(draft, task, k, line, 'timeout'));
    if (draft.task(task).state !== 'stopping') draft.move(task, 'stop');
  }
}

/** A timer set before a pause is stale: the resume has set a later one, or will. */
function onLogicTimeout(
  draft: Draft,
  i: number,
  alarm: { readonly round: number; readonly at: number },
): void {
  const { state, round } = draft.task(i);
  if (round !== alarm.round || state !== 'waiting' || draft.fields.pausedAt !== undefined) return;
  if (alarm.at !== logicDeadline(draft, i)) return;
  warnOfTimeout(draft, i, 'waits');
  if (draft.run.plan.tasks[i].spec.timeout?.action === 'warn') draft.patch(i, { warned: true });
  else stopTask(draft, i, 'timeout', 'waited longer than its time limit');
}
