/** The start of a task run, and the time limit of a logic task that waits. */
import { submit } from './attempts.ts';
import type { Draft } from './draft.ts';
import { finish } from './finish.ts';
import { logicOf } from './logic/index.ts';

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
