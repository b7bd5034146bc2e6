/** What a task is given to run: its settings with all parameters put in, and the parameters themselves. */
import type { Parameters, TaskSpec } from '../model/index.ts';
import { expand, RESERVED_PREFIXES, SECRET_PREFIX } from '../params/index.ts';
import { zone } from '../time/zone.ts';
import { neededValue, parametersOf, within } from './parameters.ts';
import type { Run } from './run.ts';

/** A task's settings with its parameters put in, and the parameters themselves without the built-in ones. */
export interface TaskSettings {
  readonly with: unknown;
  readonly params: Parameters;
}

/** For what the settings of a task are wanted. */
interface SettingsUse {
  /** What stands for a secret; without it references to secrets stay text. */
  readonly secret?: (name: string) => string;
  /** They are about to be run: a name that nobody gave is refused, except in a script, whose shell has names too. */
  readonly complete?: boolean;
}

/** The settings of a task as things stand; throws `InvalidInput` where a parameter cannot be resolved. */
export function settingsOf(run: Run, i: number, { secret, complete }: SettingsUse = {}): TaskSettings {
  const { plan, request, fields } = run;
  const { spec } = plan.tasks[i];
  const { pool } = run.tasks[i];
  const sources = [plan.workflow.params, fields.params, spec.params];
  const nothing = !pool?.size && !fields.given && sources.every((source) => Object.keys(source).length === 0);
  if (nothing && !hasPlaceholder(spec)) return { with: spec.with, params: {} };
  const values = parametersOf(run, i, pool, fields, secret);
  const { businessTime } = request;
  const here = zone(request.timezone);
  const fill = (text: string, path: readonly string[]) => {
    const needed = complete && !isScript(spec, path);
    const value = (name: string) => {
      if (name.startsWith(SECRET_PREFIX)) return secret?.(name.slice(SECRET_PREFIX.length));
      return needed ? neededValue(values, name) : values.get(name)?.value;
    };
    return within(path.join('.'), () => expand(text, { value, businessTime, zone: here }));
  };
  const params: Record<string, string> = {};
  for (const [name, { value }] of values) {
    if (!RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) params[name] = value;
  }
  return { with: filled(spec.with, fill, []), params };
}

/** Whether a text of a task's settings is a program, in which `${NAME}` may be a variable of its own language. */
function isScript({ type }: TaskSpec, path: readonly string[]): boolean {
  return type === 'shell' || path.at(-1) === 'script';
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
function filled(
  value: unknown,
  fill: (text: string, path: readonly string[]) => string,
  path: readonly string[],
): unknown {
  if (typeof value === 'string') return fill(value, path);
  if (Array.isArray(value)) return value.map((entry, k) => filled(entry, fill, [...path, String(k)]));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, filled(entry, fill, [...path, name])]),
  );
}
