/** What is asked of a run: done or refused with the reason, and noted for people either way. */
import { type Control, reopens } from '@orrery/core/run';
import { english, said } from '@orrery/core/texts';
import type { InboxMessage } from '@orrery/store';
import type { Pending } from './pending.ts';
import { hasEnded, type RunEntry } from './run-entry.ts';

/** Does what was asked for by `act`, or refuses it. */
export function carryOut(
  entry: RunEntry,
  pending: Pending,
  message: Extract<InboxMessage, { type: 'control' }>,
  act: (control: Control) => void,
): void {
  const { control, by, admitted = false, tookBack = false } = message;
  if (tookBack) {
    // Its parent may have counted on what was taken back.
    pending.told = 'stopped';
    remember(entry, pending, by, `${control.type}-done`, {});
    return;
  }
  const over = hasEnded(entry);
  // It was open when this was asked, and has given its slot to another run since.
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

/** Notes for people who did what to a run, with the round this came in. */
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
