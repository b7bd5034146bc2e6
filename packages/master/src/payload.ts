/** What a worker is given with an attempt: the task's settings with all parameters put in. */
import type { Parameters } from '@orrery/core/model';
import { expand } from '@orrery/core/params';
import { type AttemptKey, parametersOf, type Run } from '@orrery/core/run';
import { zone } from '@orrery/core/time';
import type { Assignment } from '@orrery/wire/frames';

/** An assignment but for the take, which is only known when a worker takes it. */
export type Payload = Omit<Assignment, 'take'>;

/** Builds the payload of an attempt; throws `InvalidInput` where a parameter cannot be resolved. */
export function payloadOf(run: Run, key: AttemptKey, owner: string, projectParams: Parameters): Payload {
  const { plan, request, fields } = run;
  const { spec } = plan.tasks[key.task];
  const values = parametersOf(run, key.task, run.tasks[key.task].pool, fields.params, projectParams);
  const here = zone(request.timezone);
  const fill = (text: string) =>
    expand(text, {
      value: (name) => values.get(name),
      businessTime: request.businessTime,
      zone: here,
      at: spec.name,
    });
  const { timeout, shards } = spec;
  return {
    attempt: { run: request.id, ...key },
    owner,
    project: request.project,
    workflow: plan.workflow.name,
    taskName: spec.name,
    type: spec.type,
    with: filled(spec.with, fill),
    params: Object.fromEntries(values),
    secrets: [],
    environment: {},
    shardCount: shards?.count ?? 1,
    shardParameter: shards?.parameters[key.shard] ?? '',
    timeout: timeout && timeout.action !== 'warn' ? timeout.after : undefined,
    onLostContact: spec.onLostContact,
  };
}

/** A value with every text in it filled. */
function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((entry) => filled(entry, fill));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, filled(entry, fill)]));
}
