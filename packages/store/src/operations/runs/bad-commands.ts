/**
 * Unreadable commands: each becomes a run that is set aside, so that people see it and the commands behind it
 * start. Its request is known only from the command's other columns.
 */
import { fingerprint } from '@orrery/core/run';
import { batch, change, type Operation } from '../../operation.ts';
import { insert } from '../../table.ts';
import { runTable } from '../../tables.ts';
import { remember } from '../lists/history.ts';
import type { Command, StoredCommand } from './commands.ts';
import { CREATED, plainRequest, runRow } from './created-run.ts';
import { appendEvents, type FeedWriter } from './feed.ts';
import { tell } from './inbox.ts';

/** A claimed command that cannot be read. */
export interface BadCommand {
  readonly run: number;
  readonly workflow: number;
  readonly priority: number;
  readonly createdAt: number;
  readonly reason: string;
  readonly parent?: Command['parent'];
}

/** Known facts of a workflow. */
interface Known {
  readonly project: string;
  readonly name: string;
  readonly live: number | null;
}

/** Creates the runs of bad commands and sets them aside. */
export function* setCommandsAside(
  writer: FeedWriter,
  bad: readonly BadCommand[],
  now: number,
): Operation<void> {
  if (bad.length === 0) return;
  const { rows: workflows } = yield* batch<Known & { readonly id: number }>(
    {
      sqlite: 'SELECT id, project, name, live FROM workflow WHERE id = ?1',
      postgres: 'SELECT id, project, name, live FROM workflow WHERE id = ANY (?1::int8[])',
    },
    ['int'],
    [...new Set(bad.map(({ workflow }) => workflow))].map((id) => [id]),
  );
  const known = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  yield* insert(
    runTable,
    bad.map((command) =>
      runRow(
        knownOf(command, known.get(command.workflow)),
        null,
        { state: 'broken', reason: command.reason },
        now,
      ),
    ),
  );
  yield* writeErrors(bad);
  yield* remember(
    bad.map(({ run, reason }) => ({
      actor: writer?.node ?? 'store',
      kind: 'run',
      subject: String(run),
      action: 'broken',
      body: { reason, round: 1 },
    })),
    now,
  );
  yield* tell(
    bad.flatMap(({ run, reason, parent }) =>
      parent
        ? [{ run: parent.run, message: { type: 'child', ...parent, run, state: 'failed', reason } as const }]
        : [],
    ),
    now,
  );
  yield* appendEvents(
    writer,
    bad.map(({ run, workflow }) => ({
      topic: 'run',
      subject: run,
      revision: CREATED,
      body: JSON.stringify({ state: 'broken', workflow }),
    })),
    now,
  );
}

/** The command, with defaults for unknown fields. */
function knownOf(
  { run, workflow, priority, createdAt, parent }: BadCommand,
  { project, name, live }: Known = { project: 'default', name: 'unknown', live: null },
): StoredCommand {
  const { scope, ...request } = plainRequest({ project, priority, businessTime: createdAt });
  const of = { workflow, version: live ?? 1, project, name, priority };
  return {
    run,
    createdAt,
    command: {
      ...of,
      kind: 'normal',
      trigger: parent ? 'child' : 'manual',
      request,
      params: {},
      scope,
      parent,
    },
  };
}

/** Writes the error that lists show to runs that ended before they began. */
export function* writeErrors(
  list: readonly { readonly run: number; readonly reason: string }[],
): Operation<void> {
  for (const { run, reason } of list)
    yield* change(
      'UPDATE run SET error = ?2, fingerprint = ?3 WHERE id = ?1',
      run,
      reason,
      fingerprint(reason),
    );
}
