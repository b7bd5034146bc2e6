/** Controls: requests to change runs. They go to the runs' inboxes; an unclaimed run is stopped at once. */

import type { Control } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import { Conflict, NotFound } from '../../errors.ts';
import { batch, type Operation } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { remember } from '../lists/history.ts';
import type { RunOwner } from './inbox.ts';
import { type ControlMessage, tellControls } from './reopen.ts';
import { withdrawStarts } from './starts.ts';

/**
 * Sends a control to a run's owner, who applies it or refuses it with a reason. `owner` should get a hint.
 */
export function* sendControl(input: {
  readonly run: number;
  readonly message: ControlMessage;
  readonly reason?: string;
  /** False if the caller writes its own audit entry. */
  readonly audited?: boolean;
  readonly now: number;
}): Operation<{ owner: string | null }> {
  const { run, message, reason, audited = true, now } = input;
  const { control, by } = message;
  const { told, withdrawn, refused, missing } = yield* sendControls({
    runs: [run],
    control,
    by,
    reason,
    now,
  });
  if (missing.length > 0) throw new NotFound(said('none.run', { id: run }));
  for (const why of refused) throw new Conflict(why.reason);
  const { type, ...asked } = control;
  if (audited) yield* audit(by, `run.${type}`, String(run), { ...asked, reason: reason ?? null }, now);
  return { owner: withdrawn.length > 0 ? null : (told[0]?.owner ?? null) };
}

/**
 * Sends the same control to many runs in one transaction. `told`: in the inbox now. `waiting`: delivered once
 * a limit has a slot. `withdrawn`: stopped before they were claimed. `refused`: already about to be reopened.
 * `missing`: do not exist. The actor and the reason go into the history of each run not refused.
 */
export function* sendControls(input: {
  readonly runs: readonly number[];
  readonly control: Control;
  readonly by: string;
  readonly reason?: string;
  /** The bulk that asks for it. */
  readonly bulk?: number;
  readonly now: number;
}): Operation<{
  readonly told: readonly RunOwner[];
  readonly waiting: readonly number[];
  readonly withdrawn: readonly number[];
  readonly refused: readonly { readonly run: number; readonly reason: string }[];
  readonly missing: readonly number[];
}> {
  const { control, by, reason, bulk, now } = input;
  const runs = [...new Set(input.runs)].sort((a, b) => a - b);
  const because = reason === undefined ? `stopped by ${by}` : `stopped by ${by}: ${reason}`;
  const withdrawn =
    control.type === 'stop' ? yield* withdrawStarts(null, { runs, reason: because, now }) : [];
  const over = new Set(withdrawn);
  const { rows: found } = yield* batch<RunOwner>(
    {
      sqlite: `SELECT id AS run, owner FROM run WHERE id = ?1 UNION ALL SELECT seq, NULL FROM command WHERE seq = ?1`,
      postgres: `SELECT id AS run, owner FROM run WHERE id = ANY (?1::int8[])
        UNION ALL SELECT seq, NULL FROM command WHERE seq = ANY (?1::int8[])`,
    },
    ['int'],
    runs.filter((run) => !over.has(run)).map((run) => [run]),
  );
  const message = { type: 'control', control, by } as const;
  const { waiting, refused } = yield* tellControls(
    found.map(({ run }) => ({ run, message })),
    now,
  );
  const asked = found.filter(({ run }) => !refused.has(run));
  yield* remember(
    [...withdrawn, ...asked.map(({ run }) => run)].map((run) => ({
      actor: by,
      kind: 'run',
      subject: String(run),
      action: control.type,
      body: { control, reason, bulk },
    })),
    now,
  );
  const known = new Set([...withdrawn, ...found.map(({ run }) => run)]);
  return {
    told: asked.filter(({ run }) => !waiting.has(run)),
    waiting: [...waiting],
    withdrawn,
    refused: [...refused].map(([run, reason]) => ({ run, reason })),
    missing: runs.filter((run) => !known.has(run)),
  };
}
