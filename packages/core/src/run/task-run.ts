/** What a run does to one of its task runs: stop it, hold it, let it go on, and wake it when a time has come. */
import {
  callBack,
  keyOf,
  kills,
  lineOf,
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
import type { Alarm, AttemptKey } from './events.ts';
import { begin, finish, start } from './graph.ts';
import { logicOf } from './logic/index.ts';
import type { Cause } from './run.ts';

/** Ends a task run early, whatever it is doing. Attempts on workers end when nothing is left of them. */
export function stopTask(draft: Draft, i: number, cause: Cause, reason: string): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  if (logic && task.state !== 'delayed') {
    logicOf(logic).onStop(draft, i, reason);
    return;
  }
  task.shards.forEach((shard, k) => {
    if (shard.state === 'out') callBack(draft, i, k, cause);
    else if (shard.state === 'idle' || shard.state === 'retrying')
      setShard(draft, i, k, { state: 'killed', due: undefined });
  });
  if (!draft.task(i).shards.some((shard) => shard.state === 'out')) finish(draft, i, 'kill', { reason });
  else if (task.state === 'stopping') draft.patch(i, { reason });
  else draft.move(i, 'stop', { reason });
}

/** Keeps a task run from going on while its run is paused; what a worker already runs is left to end. */
export function holdTask(draft: Draft, i: number): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  if (task.state === 'delayed' || task.state === 'retrying') draft.move(i, 'hold');
  else if (logic && task.state === 'waiting') logicOf(logic).onPause(draft, i);
  else if (task.state === 'submitted' || task.state === 'running') {
    task.shards.forEach((shard, k) => {
      if (shard.state === 'out' && !shard.cause) callBack(draft, i, k, 'pause');
    });
  }
}

/** Lets a task run that is paused, or was told to, go on where it was. */
export function resumeTask(draft: Draft, i: number): void {
  const { logic } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  const paused = task.state === 'paused';
  if (paused && task.started === undefined) begin(draft, i);
  else if (paused && task.due !== undefined && task.due > draft.now) {
    draft.move(i, 'delay');
    draft.effects.push({ type: 'timer', alarm: { what: 'delay', task: i, at: task.due } });
  } else if (paused && task.due !== undefined) start(draft, i);
  else if (logic && (paused || task.state === 'waiting')) logicOf(logic).onResume(draft, i);
  else if (task.shards.length > 0) resumeLines(draft, i);
}

/** Lets a delayed or retrying task go on at once. */
export function hurry(draft: Draft, i: number): void {
  if (draft.task(i).state === 'delayed') start(draft, i);
  else resumeLines(draft, i, true);
}

/** A timer of a task went off; one whose subject has moved on does nothing. */
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
    case 'queue': {
      const line = openLine(draft, alarm.attempt);
      if (line && !line.cause && line.worker === undefined)
        callBack(draft, alarm.attempt.task, lineOf(alarm.attempt), 'queue');
      break;
    }
    case 'timeout':
      onTimeout(draft, alarm.attempt);
      break;
    case 'logic-timeout': {
      const { state, round } = draft.task(alarm.task);
      if (
        round === alarm.round &&
        (state === 'waiting' || state === 'paused') &&
        exceeds(draft, alarm.task, 'waits')
      ) {
        stopTask(draft, alarm.task, 'timeout', 'waited longer than its time limit');
      }
      break;
    }
  }
}

/** After a crash of the owner: sets timers again and settles attempts that no longer exist anywhere. */
export function adoptTask(draft: Draft, i: number, alive: (attempt: AttemptKey) => boolean): void {
  const { logic, spec } = draft.run.plan.tasks[i];
  const task = draft.task(i);
  if (task.state === 'delayed' && task.due !== undefined) {
    draft.effects.push({ type: 'timer', alarm: { what: 'delay', task: i, at: task.due } });
  }
  if (logic && spec.timeout && task.started !== undefined) {
    const at = task.started + spec.timeout.after;
    draft.effects.push({ type: 'timer', alarm: { what: 'logic-timeout', task: i, round: task.round, at } });
  }
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
  const line = openLine(draft, attempt);
  if (!line || kills(line.cause) || !exceeds(draft, task, 'runs')) return;
  callBack(draft, task, lineOf(attempt), 'timeout');
  if (draft.task(task).state !== 'stopping') draft.move(task, 'stop');
}

/** Warns where the time limit says so; true where it also ends the attempt. */
function exceeds(draft: Draft, i: number, verb: 'runs' | 'waits'): boolean {
  warnOfTimeout(draft, i, verb);
  return draft.run.plan.tasks[i].spec.timeout?.action !== 'warn';
}
