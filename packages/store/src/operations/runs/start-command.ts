/** The command of a run without a parent: started by hand, by a tick, or by a trigger. */
import { admissionOf } from '@orrery/core/admit';
import type { Parameters, Priority, RunTrigger } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { RunRequest, Scope } from '@orrery/core/run';
import type { StartingWorkflow } from '../workflows/workflows.ts';
import type { Command } from './commands.ts';

/** The parts that differ between starts. */
export interface Start
  extends Partial<Pick<RunRequest, 'cause' | 'dryRun' | 'counts' | 'replayOf' | 'backfill'>> {
  readonly trigger: RunTrigger;
  readonly businessTime: number;
  readonly params: Parameters;
  /** Default: the workflow's. */
  readonly priority?: Priority;
  readonly timezone?: string;
  /** Default: the whole graph. */
  readonly scope?: Scope;
  /** In addition to the workflow's tags. */
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
    // Versions published before tags existed have none.
    tags: [...(workflow.tags ?? []), ...tags],
    tenant: workflow.tenant,
    // A backfill waits for nobody; the runs it starts do. A test run blocks no run of the live version.
    ...(!backfill &&
      version > 0 && {
        ...{ admission: admissionOf(workflow, false), onePerPeriod: workflow.onePerPeriod },
        onNoRoom: workflow.onNoRoom,
      }),
  };
}
