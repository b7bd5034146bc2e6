/**
 * Commands that cannot be read: each becomes a run that is set aside, so that people see it and those behind it start.
 * Of what was asked for, only what other columns of a command tell is known.
 */
import { priorityName } from '@orrery/core/queue';
import { fingerprint, type RunFields, type RunRequest, type Scope } from '@orrery/core/run';
import { batch, change, type Operation } from '../operation.ts';
import { insert } from '../table.ts';
import { runTable } from '../tables.ts';
import { appendEvents } from './feed.ts';
import { remember } from './history.ts';
import type { Self } from './self.ts';
import { standingOf } from './standing.ts';

/** A command that was claimed and cannot be read. */
export interface BadCommand {
  readonly run: number;
  readonly workflow: number;
  readonly priority: number;
  readonly createdAt: number;
  readonly reason: string;
}

/** Creates the runs of bad commands, set aside. */
export function* setCommandsAside(self: Self, bad: readonly BadCommand[], now: number): Operation<void> {
  if (bad.length === 0) return;
  const { rows: workflows } = yield* batch<{
    id: number;
    project: string;
    name: string;
    live: number | null;
  }>(
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
    bad.map((command) => runRow(command, known.get(command.workflow), now)),
  );
  for (const { run, reason } of bad)
    yield* change(
      'UPDATE run SET error = ?2, fingerprint = ?3 WHERE id = ?1',
      run,
      reason,
      fingerprint(reason),
    );
  yield* remember(
    bad.map(({ run, reason }) => ({
      actor: self.node,
      kind: 'run',
      subject: String(run),
      action: 'broken',
      body: { reason, round: 1 },
    })),
    now,
  );
  yield* appendEvents(
    self,
    bad.map(({ run, workflow }) => ({
      topic: 'run',
      subject: run,
      revision: 1,
      body: JSON.stringify({ state: 'broken', workflow }),
    })),
    now,
  );
}

function runRow(
  { run, workflow, priority, createdAt, reason }: BadCommand,
  { project, name, live }: { project: string; name: string; live: number | null } = {
    project: 'default',
    name: 'unknown',
    live: null,
  },
  now: number,
) {
  const state = 'broken';
  const fields: RunFields = {
    state,
    since: now,
    round: 1,
    roundKind: 'start',
    roundStarted: now,
    picked: [],
    params: {},
    reason,
  };
  const request: RunRequest & { readonly scope: Scope } = {
    id: run,
    project,
    priority: priorityName(priority),
    onFailure: 'continue',
    businessTime: createdAt,
    timezone: 'UTC',
    dryRun: false,
    depth: 0,
    scope: { kind: 'all', tasks: [] },
  };
  return {
    id: run,
    workflow,
    version: live ?? 1,
    project,
    name,
    kind: 'normal',
    trigger_kind: 'manual',
    state,
    priority,
    owner: null,
    owner_epoch: null,
    request: JSON.stringify(request),
    fields: JSON.stringify(fields),
    revision: 1,
    business_time: createdAt,
    parent: null,
    parent_task: null,
    parent_round: null,
    parent_element: null,
    replay_of: null,
    created_at: createdAt,
    started_at: null,
    ended_at: now,
    standing: standingOf(state),
    tags: null,
  };
}
