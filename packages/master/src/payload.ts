/** What a worker is given with an attempt: the task's settings with all parameters put in. */
import type { Parameters, TaskSpec } from '@orrery/core/model';
import { expand, RESERVED_PREFIXES } from '@orrery/core/params';
import { type AttemptKey, parametersOf, type Run } from '@orrery/core/run';
import { zone } from '@orrery/core/time';
import type { Assignment } from '@orrery/wire/frames';

/** An assignment but for the take, which is only known when a worker takes it. */
export type Payload = Omit<Assignment, 'take'>;

/** Builds the payload of an attempt; throws `InvalidInput` where a parameter cannot be resolved. */
export function payloadOf(run: Run, key: AttemptKey, owner: string, projectParams: Parameters): Payload {
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
    ...resolved(run, key.task, projectParams),
    secrets: [],
    environment: {},
    shardCount: shards?.count ?? 1,
    shardParameter: shards?.parameters[key.shard] ?? '',
    timeout: timeout && timeout.action !== 'warn' ? timeout.after : undefined,
    onLostContact: spec.onLostContact,
  };
}

/** The task's settings with its parameters put in, and the parameters themselves without the built-in ones. */
function resolved(run: Run, i: number, projectParams: Parameters): Pick<Payload, 'with' | 'params'> {
  const { plan, request, fields } = run;
  const { spec } = plan.tasks[i];
  const { pool } = run.tasks[i];
  const given = [projectParams, plan.workflow.params, fields.params, spec.params];
  const nothing = !pool?.size && given.every((source) => Object.keys(source).length === 0);
  if (nothing && !hasPlaceholder(spec)) return { with: spec.with, params: {} };
  const values = parametersOf(run, i, pool, fields.params, projectParams);
  const { businessTime } = request;
  const here = zone(request.timezone);
  const fill = (text: string) =>
    expand(text, { value: (name) => values.get(name), businessTime, zone: here, at: spec.name });
  const own = [...values].filter(([name]) => !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix)));
  return { with: filled(spec.with, fill), params: Object.fromEntries(own) };
}

const placeholders = new WeakMap<TaskSpec, boolean>();

/** Whether anything in a task's settings could need a parameter; asked once a version, not once an attempt. */
function hasPlaceholder(spec: TaskSpec): boolean {
  let has = placeholders.get(spec);
  if (has === undefined) {
    has = JSON.stringify(spec.with ?? null).includes('$');
    placeholders.set(spec, has);
  }
  return has;
}

/** A value with every text in it filled. */
function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((entry) => filled(entry, fill));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, filled(entry, fill)]));
}
