/**
 * The stored form of an attempt until a worker takes it: the task's settings with all parameters resolved,
 * except secrets.
 */
import { secretMark } from '@orrery/core/params';
import { type AttemptKey, type Run, settingsOf } from '@orrery/core/run';
import type { Assignment } from '@orrery/wire/frames';

/** An assignment without the fields that are set when a worker takes it. */
export interface Payload extends Omit<Assignment, 'take' | 'environment'> {
  /** Names of the secrets the attempt needs. Their values replace the marks when the attempt is sent. */
  readonly secrets: readonly string[];
  /** The worker group it is queued for; undefined if an earlier version of Orrery queued it. */
  readonly workerGroup?: string;
  /**
   * Its environment, whose variables are read when the attempt is sent, and the worker group the environment
   * must allow.
   */
  readonly inEnvironment?: { readonly name: string; readonly workerGroup: string };
}

/** Builds the payload of an attempt. Throws `InvalidInput` if a parameter cannot be resolved. */
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
