/** What a task is given to run: its settings with all parameters put in, and the parameters themselves. */
import type { Parameters, TaskSpec } from '../model/index.ts';
import { expand, RESERVED_PREFIXES, SECRET_PREFIX } from '../params/index.ts';
import { zone } from '../time/zone.ts';
import { parametersOf } from './parameters.ts';
import type { Run } from './run.ts';

/** A task's settings with its parameters put in, and the parameters themselves without the built-in ones. */
export interface TaskSettings {
  readonly with: unknown;
  readonly params: Parameters;
}

/**
 * The settings of a task as things stand; throws `InvalidInput` where a parameter cannot be resolved. `secret` says what
 * stands for one; without it references to secrets stay text.
 */
export function settingsOf(run: Run, i: number, secret?: (name: string) => string): TaskSettings {
  const { plan, request, fields } = run;
  const { spec } = plan.tasks[i];
  const { pool } = run.tasks[i];
  const sources = [plan.workflow.params, fields.params, spec.params];
  const nothing = !pool?.size && !fields.given && sources.every((source) => Object.keys(source).length === 0);
  if (nothing && !hasPlaceholder(spec)) return { with: spec.with, params: {} };
  const values = parametersOf(run, i, pool, fields, secret);
  const { businessTime } = request;
  const here = zone(request.timezone);
  const value = (name: string) =>
    name.startsWith(SECRET_PREFIX) ? secret?.(name.slice(SECRET_PREFIX.length)) : values.get(name);
  const fill = (text: string) => expand(text, { value, businessTime, zone: here, at: spec.name });
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
