/** The command of a run that begins at the top: by hand, by a tick, by a trigger. */
import { admissionOf } from '@orrery/core/admit';
import type { Parameters, Priority } from '@orrery/core/model';
import { priorityNumber } from '@orrery/core/queue';
import type { RunRequest } from '@orrery/core/run';
import type { Command, TriggerKind } from './commands.ts';
import type { StartingWorkflow } from './workflows.ts';

/** What differs from one start to the next. */
export interface Start {
  readonly trigger: TriggerKind;
  readonly businessTime: number;
  readonly params: Parameters;
  /** Those of the workflow unless given. */
  readonly priority?: Priority;
  readonly timezone?: string;
  readonly cause?: RunRequest['cause'];
}

/** The command that starts a whole run of a version. */
export function startCommand(
  {
    id,
    version,
    workflow,
  }: { readonly id: number; readonly version: number; readonly workflow: StartingWorkflow },
  start: Start,
): Command {
  const { project, name, onFailure } = workflow;
  const { trigger, businessTime, params, cause } = start;
  const { priority = workflow.priority, timezone = workflow.timezone } = start;
  return {
    workflow: id,
    version,
    project,
    name,
    priority: priorityNumber(priority),
    kind: 'normal',
    trigger,
    request: { project, priority, onFailure, businessTime, timezone, dryRun: false, depth: 0, cause },
    params,
    scope: { kind: 'all', tasks: [] },
    tags: workflow.tags,
    tenant: workflow.tenant,
    admission: admissionOf(workflow, false),
    onePerPeriod: workflow.onePerPeriod,
  };
}
