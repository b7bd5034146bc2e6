/** What a task is given to run: its settings with all parameters put in, and the parameters themselves. */
import type { Parameters, TaskSpec } from '../model/index.ts';
import { expand, RESERVED_PREFIXES } from '../params/index.ts';
import { zone } from '../time/zone.ts';
import { parametersOf } from './parameters.ts';
import type { Run } from './run.ts';

/** A task's settings with its parameters put in, and the parameters themselves without the built-in ones. */
export interface TaskSettings {
  readonly with: unknown;
  readonly params: Parameters;
}

/** The settings of a task as things stand; throws `InvalidInput` where a parameter cannot be resolved. */
export function settingsOf(run: Run, i: number): TaskSettings {
  const { plan, request, fields } = run;
  const { spec } = plan.tasks[i];
  const { pool } = run.tasks[i];
  const sources = [plan.workflow.params, fields.params, spec.params];
  const nothing = !pool?.size && !fields.given && sources.every((source) => Object.keys(source).length === 0);
  if (nothing && !hasPlaceholder(spec)) return { with: spec.with, params: {} };
  const values = parametersOf(run, i, pool, fields);
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
