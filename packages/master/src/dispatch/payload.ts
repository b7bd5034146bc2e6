/** What is kept of an attempt until a worker takes it: the task's settings with all parameters but no secret put in. */
import { secretMark } from '@orrery/core/params';
import { type AttemptKey, type Run, settingsOf } from '@orrery/core/run';
import type { Assignment } from '@orrery/wire/frames';

/** An assignment but for what is only known when a worker takes it. */
export interface Payload extends Omit<Assignment, 'take' | 'environment'> {
  /** The names of the secrets that it needs: their values are put in place of their marks when it is sent. */
  readonly secrets: readonly string[];
  /** Where it goes; undefined where an earlier version queued it. */
  readonly workerGroup?: string;
  /** The environment whose variables it is given as they stand then, and the worker group that must be allowed there. */
  readonly inEnvironment?: { readonly name: string; readonly workerGroup: string };
}

/** Builds the payload of an attempt; throws `InvalidInput` where a parameter cannot be resolved. */
export function payloadOf(run: Run, key: AttemptKey, owner: string): Payload {
  const { plan, request } = run;
  const { spec } = plan.tasks[key.task];
  const { timeout, shards, workerGroup = plan.workflow.workerGroup } = spec;
  const environment = spec.environment ?? plan.workflow.environment;
  const secrets = new Set<string>();
  const secret = (name: string) => {
    secrets.add(name);
    return secretMark(name);
  };
  const settings = settingsOf(run, key.task, { secret, complete: true });
  return {
    attempt: { run: request.id, ...key },
    owner,
    project: request.project,
    workflow: plan.workflow.name,
    taskName: spec.name,
    taskStarted: run.tasks[key.task].started,
    type: spec.type,
    ...settings,
    secrets: [...secrets],
    workerGroup,
    inEnvironment: environment === undefined ? undefined : { name: environment, workerGroup },
    shardCount: shards?.count ?? 1,
    shardParameter: shards?.parameters[key.shard] ?? '',
    timeout: timeout && timeout.action !== 'warn' ? timeout.after : undefined,
    onLostContact: spec.onLostContact,
    tenant: plan.workflow.tenant,
  };
}
