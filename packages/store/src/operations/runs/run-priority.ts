/**
 * Changes the priority of a run that has not started: an unclaimed command, or a run without an owner that
 * waits for a slot. A later claim sees the new priority; a started run keeps its priority.
 */

import type { Priority } from '@orrery/core/model';
import { priorityName, priorityNumber } from '@orrery/core/queue';
import { whyNotRanked } from '@orrery/core/run/allowed';
import type { RunState } from '@orrery/core/state';
import { said } from '@orrery/core/texts';
import { Conflict, NotFound } from '../../errors.ts';
import { change, type Operation, row } from '../../operation.ts';
import { audit } from '../access/audit.ts';
import { moveWaiter } from '../limits/admission.ts';
import type { LimitNeed } from '../limits/limit-book.ts';
import { remember } from '../lists/history.ts';
import type { Command } from './commands.ts';
import { appendEvents } from './feed.ts';

interface Asked {
  readonly run: number;
  readonly priority: Priority;
  readonly reason?: string;
  readonly by: string;
  readonly now: number;
}

/** Changes the priority and returns the old one. Refused once the run has started. */
export function* setRunPriority(input: Asked): Operation<{ readonly before: Priority }> {
  const { run, priority, reason, by, now } = input;
  // The command first: one claimed meanwhile is then a run.
  const before = (yield* ofCommand(input)) ?? (yield* ofRun(input));
  yield* remember(
    [
      {
        actor: by,
        kind: 'run',
        subject: String(run),
        action: 'set-priority',
        body: { reason: reason === undefined ? priority : `${priority}: ${reason}` },
      },
    ],
    now,
  );
  const told = { before, after: priority, reason: reason ?? null };
  yield* audit(by, 'run.set-priority', String(run), told, now);
  return { before };
}

function* ofCommand({ run, priority, now }: Asked): Operation<Priority | undefined> {
  const found = yield* row<{ body: string; workflow: number }>(
    {
      sqlite: 'SELECT body, workflow FROM command WHERE seq = ?1',
      postgres: 'SELECT body, workflow FROM command WHERE seq = ?1 FOR UPDATE',
    },
    run,
  );
  if (!found) return undefined;
  const command: Command = JSON.parse(found.body);
  const number = priorityNumber(priority);
  const changed: Command = { ...command, priority: number, request: { ...command.request, priority } };
  yield* change(
    'UPDATE command SET priority = ?2, body = ?3 WHERE seq = ?1',
    run,
    number,
    JSON.stringify(changed),
  );
  const body = JSON.stringify({ state: 'queued', workflow: found.workflow, parent: command.parent?.run });
  yield* appendEvents(null, [{ topic: 'run', subject: run, revision: 0, body }], now);
  return priorityName(command.priority);
}

interface Stored {
  readonly state: RunState;
  readonly owner: string | null;
  readonly priority: number;
  readonly request: string;
  readonly workflow: number;
  readonly parent: number | null;
  readonly revision: number;
}

function* ofRun({ run, priority, now }: Asked): Operation<Priority> {
  const select = 'SELECT state, owner, priority, request, workflow, parent, revision FROM run WHERE id = ?1';
  const found = yield* row<Stored>({ sqlite: select, postgres: `${select} FOR UPDATE` }, run);
  if (!found) throw new NotFound(said('none.run', { id: run }));
  const refused = whyNotRanked(found.state) ?? (found.owner === null ? undefined : said('control.starting'));
  if (refused !== undefined) throw new Conflict(refused);
  const number = priorityNumber(priority);
  const request = JSON.parse(found.request) as {
    readonly admission?: { readonly needs: readonly LimitNeed[] };
  };
  const admission = request.admission && {
    ...request.admission,
    needs: request.admission.needs.map((need) => ranked(need, number)),
  };
  yield* change(
    'UPDATE run SET priority = ?2, request = ?3 WHERE id = ?1',
    run,
    number,
    JSON.stringify({ ...request, admission, priority }),
  );
  yield* moveWaiter(run, (need) => ranked(need, number));
  const body = JSON.stringify({
    state: found.state,
    workflow: found.workflow,
    parent: found.parent ?? undefined,
    tasks: [],
  });
  yield* appendEvents(null, [{ topic: 'run', subject: run, revision: found.revision, body }], now);
  return priorityName(found.priority);
}

/** Applies to lines ordered by priority; in its own workflow's line, runs are ordered by id. */
function ranked(need: LimitNeed, priority: number): LimitNeed {
  return need.priority === undefined ? need : { ...need, priority };
}
