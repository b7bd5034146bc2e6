/** What is asked of a run: done or refused with the reason, and noted for people either way. */
import { type Control, reopens } from '@orrery/core/run';
import type { InboxMessage } from '@orrery/store';
import { type Held, hasEnded } from './held.ts';
import type { Pending } from './pending.ts';

/** Does what was asked for by `act`, or refuses it. */
export function carryOut(
  held: Held,
  pending: Pending,
  message: Extract<InboxMessage, { type: 'control' }>,
  act: (control: Control) => void,
): void {
  const { control, by, admitted = false, tookBack = false } = message;
  if (tookBack) {
    // Its parent may have counted on what was taken back.
    pending.told = 'stopped';
    remember(held, pending, by, `${control.type}-done`, {});
    return;
  }
  const over = hasEnded(held);
  // It was open when this was asked, and has given its slot to another run since.
  const tooLate = over && reopens(control) && !admitted && held.limited;
  const before = pending.effects.length;
  if (!tooLate) act(control);
  const refused = pending.effects.slice(before).find((effect) => effect.type === 'refused');
  const reason = tooLate ? 'the run ended while this was under way; ask again' : refused?.reason;
  if (reason !== undefined && by === 'parent') pending.told = held.run.fields.state;
  if (reason !== undefined && admitted && over) pending.freed = true;
  const action = reason === undefined ? `${control.type}-done` : `${control.type}-refused`;
  remember(held, pending, by, action, { reason });
}

/** Notes for people who did what to a run, with the round this came in. */
export function remember(
  { id, run }: Held,
  pending: Pending,
  actor: string,
  action: string,
  body: object,
): void {
  const { round } = run.fields;
  pending.history.push({ actor, kind: 'run', subject: String(id), action, body: { ...body, round } });
}
