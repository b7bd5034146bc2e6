/**
 * Controls: a request to change a run is checked against the stored state and recorded. The run's owner knows
 * the current state and makes the final decision. A dry run returns the effects.
 */
import type { Action, Answer } from '@orrery/contract';
import { type Control, controlsOf, refusal, reopens } from '@orrery/core/run';
import { type Said, said } from '@orrery/core/texts';
import type { Context } from '../context.ts';
import { Refusal } from '../problem.ts';
import { timeText } from '../time.ts';
import { checkParameters } from './parameters.ts';
import { asRun, type FoundRun, findRun, findTaskRun, noTasks } from './read.ts';
import { controlActions } from './show-row.ts';
import { checkScope } from './start.ts';
import { wholeRun } from './whole.ts';
import { wouldDo } from './would.ts';

/** A request for a change: by whom, why, and whether only to say what it would do. */
export interface ControlRequest {
  readonly control: Control;
  readonly by: string;
  readonly reason?: string;
  readonly dryRun: boolean;
}

/** Checks and records a control, or returns its effects. */
export async function controlRun(
  context: Context,
  id: number,
  request: ControlRequest,
): Promise<Answer<'stopRun'>> {
  const { store, clock, hints } = context;
  const { control, by, reason, dryRun } = request;
  const found = await findRun(context, id, noTasks);
  const opening =
    'queued' in found ? undefined : found.details.controls.find((each) => reopens(each.control));
  const takesBack = opening !== undefined && control.type === 'stop';
  if ('queued' in found) checkQueued(control);
  else if (opening && reopens(control))
    throw new Refusal('conflict', said('control.asked', { control: opening.control.type }));
  else if (!takesBack) await check(context, found, control);
  const now = clock.now();
  const answer = { run: id, control: control.type, by, at: timeText(now), reason: reason ?? null };
  if (dryRun) {
    const nothing = { effects: [], kept: 0 };
    const would =
      'queued' in found || takesBack ? nothing : wouldDo(await wholeRun(context, found), control, now);
    return { ...answer, recorded: false, would };
  }
  await store.sendControl({ run: id, message: { type: 'control', control, by }, reason, now });
  hints.inboxTold([id]);
  return { ...answer, recorded: true, would: null };
}

/** What can be asked of a run, also while what opens it again waits; without a plan nothing opens it. */
export function actionsOf({ details: { fields, controls: asked }, unplanned }: FoundRun): readonly Action[] {
  const opening = asked.find(({ control }) => reopens(control));
  const controls = controlsOf({ state: fields.state, opening: opening?.control.type });
  return controlActions(
    controls.map((control) =>
      unplanned !== undefined && control.allowed && control.name !== 'stop'
        ? { ...control, why: withoutPlan(unplanned) }
        : control,
    ),
  );
}

function withoutPlan(why: string): Said {
  return said('control.unplanned', { why });
}

/** A run that no master has claimed can only be stopped, which withdraws its command. */
function checkQueued({ type }: Control): void {
  const { allowed, why } = controlsOf({ state: 'queued' }).find(({ name }) => name === type) ?? {};
  if (!allowed) throw new Refusal('conflict', why ?? said('control.queued'));
}

async function check(context: Context, found: FoundRun, control: Control): Promise<void> {
  if (found.unplanned !== undefined && control.type !== 'stop')
    throw new Refusal('conflict', withoutPlan(found.unplanned));
  if (control.type === 'rerun') checkScope(found.plan.workflow, control.scope);
  if (control.type === 'set-params') checkParameters(found.plan.workflow.params, control.params);
  const whole =
    'task' in control ? await findTaskRun(context, { run: found.details.run.id, task: control.task }) : found;
  const reason = refusal(asRun(whole), control);
  if (reason !== undefined) throw new Refusal('conflict', reason);
}
