/** The command of a run that begins at the top: by hand, by a tick, by a trigger. */
import { admissionOf } from '@orrery/core/admit';
import type { Parameters, Priority, RunTrigger } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { RunRequest, Scope } from '@orrery/core/run';
import type { StartingWorkflow } from '../workflows/workflows.ts';
import type { Command } from './commands.ts';

/** What differs from one start to the next. */
export interface Start
  extends Partial<Pick<RunRequest, 'cause' | 'dryRun' | 'counts' | 'replayOf' | 'backfill'>> {
  readonly trigger: RunTrigger;
  readonly businessTime: number;
  readonly params: Parameters;
  /** Those of the workflow unless given. */
  readonly priority?: Priority;
  readonly timezone?: string;
  /** The whole graph unless given. */
  readonly scope?: Scope;
  /** Besides those of the workflow. */
  readonly tags?: readonly string[];
}

/** The command that starts a run of a version. */
export function startCommand(
  {
    id,
    version,
    workflow,
  }: { readonly id: number; readonly version: number; readonly workflow: StartingWorkflow },
  start: Start,
): Command {
  const { project, name, onFailure } = workflow;
  const { trigger, businessTime, params, scope = { kind: 'all', tasks: [] }, tags = [] } = start;
  const { priority = workflow.priority, timezone = workflow.timezone } = start;
  const { dryRun = false, counts, cause, replayOf, backfill } = start;
  const when = { businessTime, timezone, dryRun, counts, depth: 0 };
  return {
    workflow: id,
    version,
    project,
    name,
    priority: priorityNumber(priority),
    kind: backfill ? 'backfill' : 'normal',
    trigger,
    request: { project, priority, onFailure, ...when, cause, replayOf, backfill },
    params,
    scope,
    // Versions that were published before there were tags have none.
    tags: [...(workflow.tags ?? []), ...tags],
    tenant: workflow.tenant,
    // A backfill waits for nobody; the runs that it starts do. A test run keeps no run of the live version waiting.
    ...(!backfill &&
      version > 0 && {
        ...{ admission: admissionOf(workflow, false), onePerPeriod: workflow.onePerPeriod },
        onNoRoom: workflow.onNoRoom,
      }),
  };
}
