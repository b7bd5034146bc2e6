/** The logic task types, by name. */
import type { Draft } from '../draft.ts';
import type { PlannedTask } from '../plan.ts';
import { approval, tellApproval } from './approval.ts';
import { conditions } from './conditions.ts';
import { dependent } from './dependent.ts';
import type { Logic } from './logic.ts';
import { series } from './series.ts';
import { subWorkflow } from './sub-workflow.ts';
import { switchTask } from './switch.ts';

const logics: Record<NonNullable<PlannedTask['logic']>, Logic> = {
  'sub-workflow': subWorkflow,
  dependent,
  conditions,
  switch: switchTask,
  dynamic: series,
  approval,
  backfill: series,
};

export { answerRefusal, answerTask } from './approval.ts';
export { setParallel } from './series.ts';

/** The behaviour of a logic type. */
export function logicOf(type: NonNullable<PlannedTask['logic']>): Logic {
  return logics[type];
}

/** Drops everything a logic task waits for: its child runs are stopped and detached. */
export function dropWaits(draft: Draft, i: number): void {
  const { child, series, state } = draft.task(i);
  const stop = (round: number, element: number) =>
    draft.childControls.push({ task: i, round, element, control: 'stop' });
  if (child?.state === 'open' || child?.state === 'paused') stop(child.round, 0);
  if (series) for (const element of [...series.open, ...series.paused]) stop(series.round, element);
  if (draft.run.plan.tasks[i].logic === 'dependent' && state === 'waiting') {
    draft.waits.push({ task: i, round: draft.fields.round, open: false });
  }
  if (draft.run.plan.tasks[i].logic === 'approval') tellApproval(draft, i, false);
  if (child || series) draft.patch(i, { child: undefined, series: undefined, input: undefined });
}
