/** Controls of a run: carried out or refused with a reason, and recorded in its history either way. */
import { type Control, reopens } from '@orrery/core/run';
import { english, said } from '@orrery/core/texts';
import type { InboxMessage } from '@orrery/store';
import type { Pending } from './pending.ts';
import { hasEnded, type RunEntry } from './run-entry.ts';

/** Carries out the control by `act`, or refuses it. */
export function carryOut(
  entry: RunEntry,
  pending: Pending,
  message: Extract<InboxMessage, { type: 'control' }>,
  act: (control: Control) => void,
): void {
  const { control, by, admitted = false, tookBack = false } = message;
  if (tookBack) {
    // Its parent may have acted on the state that this control reverts.
    pending.told = 'stopped';
    remember(entry, pending, by, `${control.type}-done`, {});
    return;
  }
  const over = hasEnded(entry);
  // The run was open when the control was sent, and has given its slot to another run since.
  const tooLate = over && reopens(control) && !admitted && entry.limited;
  const before = pending.effects.length;
  if (!tooLate) act(control);
  const refused = pending.effects.slice(before).find((effect) => effect.type === 'refused');
  const why = tooLate ? said('control.late') : refused?.reason;
  const reason = why && english(why);
  if (reason !== undefined && by === 'parent') pending.told = entry.run.fields.state;
  if (reason !== undefined && admitted && over) pending.freed = true;
  const action = reason === undefined ? `${control.type}-done` : `${control.type}-refused`;
  remember(entry, pending, by, action, { reason });
}

/** Records who controlled a run, and in which round. */
export function remember(
  { id, run }: RunEntry,
  pending: Pending,
  actor: string,
  action: string,
  body: object,
): void {
  const { round } = run.fields;
  pending.history.push({ actor, kind: 'run', subject: String(id), action, body: { ...body, round } });
}
