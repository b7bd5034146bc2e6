/** What a worker is given with an attempt: the task's settings with all parameters put in. */
import { type AttemptKey, type Run, settingsOf } from '@orrery/core/run';
import type { Assignment } from '@orrery/wire/frames';

/** An assignment but for the take, which is only known when a worker takes it. */
export type Payload = Omit<Assignment, 'take'>;

/** Builds the payload of an attempt; throws `InvalidInput` where a parameter cannot be resolved. */
export function payloadOf(run: Run, key: AttemptKey, owner: string): Payload {
  const { plan, request } = run;
  const { spec } = plan.tasks[key.task];
  const { timeout, shards } = spec;
  return {
    attempt: { run: request.id, ...key },
    owner,
    project: request.project,
    workflow: plan.workflow.name,
    taskName: spec.name,
    type: spec.type,
    ...settingsOf(run, key.task),
    secrets: [],
    environment: {},
    shardCount: shards?.count ?? 1,
    shardParameter: shards?.parameters[key.shard] ?? '',
    timeout: timeout && timeout.action !== 'warn' ? timeout.after : undefined,
    onLostContact: spec.onLostContact,
  };
}
