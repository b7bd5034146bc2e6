/** Controls: requests to change a run. They go to its inbox; stopping a run that nobody claimed yet is done at once. */
import { NotFound } from '../errors.ts';
import { type Operation, row } from '../operation.ts';
import { type InboxMessage, tell } from './inbox.ts';
import { withdrawCommand } from './starts.ts';

/** Asks a run's owner for a change; it will be done or refused with a reason. `owner` wants a hint. */
export function* sendControl(input: {
  readonly run: number;
  readonly message: Extract<InboxMessage, { type: 'control' }>;
  readonly now: number;
}): Operation<{ owner: string | null }> {
  const { run, message, now } = input;
  const stops = message.control.type === 'stop';
  if (stops && (yield* withdrawCommand({ run, reason: `stopped by ${message.by}`, now })))
    return { owner: null };
  const found = yield* row<{ owner: string | null }>(
    `SELECT owner FROM run WHERE id = ?1 UNION ALL SELECT NULL FROM command WHERE seq = ?1`,
    run,
  );
  if (!found) throw new NotFound(`there is no run ${run}`);
  yield* tell([{ run, message }], now);
  return found;
}
