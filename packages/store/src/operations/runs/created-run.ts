/** Rows of new runs, and the defaults of a run whose request cannot be read. */
import { priorityName } from '@orrery/core/queue';
import {
  countsAsRun,
  type GivenParameters,
  type RunFields,
  type RunRequest,
  type Scope,
} from '@orrery/core/run';
import { isFinal, runMachine } from '@orrery/core/state';
import type { Self } from '../cluster/self.ts';
import { tagsText } from '../lists/run-tags.ts';
import type { StoredCommand } from './commands.ts';
import { standingOf } from './standing.ts';

/** Revision of a new run; its command had none. */
export const CREATED = 1;

/** Initial state of a run, and the parameters of its project. */
interface Beginning {
  readonly state: 'waiting' | 'running' | 'failed' | 'stopped' | 'broken';
  readonly reason?: string;
  readonly given?: GivenParameters;
}

/** The row of a run created from its command. */
export function runRow(
  { run, command, createdAt }: StoredCommand,
  owner: Self | null,
  { state, reason, given }: Beginning,
  now: number,
) {
  const fields: RunFields = {
    state,
    since: now,
    round: 1,
    roundKind: 'start',
    roundStarted: now,
    picked: [],
    params: command.params,
    ...(reason !== undefined && { reason }),
    given,
  };
  return {
    id: run,
    workflow: command.workflow,
    version: command.version,
    project: command.project,
    name: command.name,
    kind: command.kind,
    trigger_kind: command.trigger,
    state,
    priority: command.priority,
    owner: owner?.node ?? null,
    owner_epoch: owner?.epoch ?? null,
    request: JSON.stringify({
      ...command.request,
      id: run,
      scope: command.scope,
      admission: command.admission,
      onePerPeriod: command.onePerPeriod,
      tenant: command.tenant === 'default' ? undefined : command.tenant,
    }),
    fields: JSON.stringify(fields),
    revision: CREATED,
    business_time: command.request.businessTime,
    parent: command.parent?.run ?? null,
    parent_task: command.parent?.task ?? null,
    parent_round: command.parent?.round ?? null,
    parent_element: command.parent?.element ?? null,
    replay_of: command.request.replayOf ?? null,
    created_at: createdAt,
    started_at: state === 'running' ? now : null,
    ended_at: isFinal(runMachine, state) ? now : null,
    standing: standingOf(state),
    tags: tagsText(command.tags),
    counts: Number(countsAsRun(command.request)),
    started_by: command.startedBy ?? null,
  };
}

/** A run's request as known from its own columns. */
export function plainRequest(known: {
  readonly project: string;
  readonly priority: number;
  readonly businessTime: number;
}): Omit<RunRequest, 'id'> & { readonly scope: Scope } {
  return {
    project: known.project,
    priority: priorityName(known.priority),
    onFailure: 'continue',
    businessTime: known.businessTime,
    timezone: 'UTC',
    dryRun: false,
    depth: 0,
    scope: { kind: 'all', tasks: [] },
  };
}
