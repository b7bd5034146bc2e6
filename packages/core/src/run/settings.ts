/** The input of a task: its settings with all parameters filled in, and the parameters themselves. */
import { InvalidInput } from '../errors.ts';
import type { Parameters as ParameterValues, TaskSpec } from '../model/index.ts';
import {
  expand,
  expandParsed,
  expandScript,
  expandSqlTimes,
  expandUrl,
  parsedPlace,
  RESERVED_PREFIXES,
  references,
  SECRET_PREFIX,
} from '../params/index.ts';
import { withoutMarks } from '../params/secret.ts';
import { said } from '../texts/index.ts';
import { zone } from '../time/zone.ts';
import { neededValue, parametersOf, within } from './parameters.ts';
import type { Run } from './run.ts';

/** A task's settings with its parameters filled in, and the parameters without the built-ins. */
export interface TaskSettings {
  readonly with: unknown;
  readonly params: ParameterValues;
}

/** Purpose of the settings. */
interface SettingsUse {
  /** Replacement for a secret; without it references to secrets stay text. */
  readonly secret?: (name: string) => string;
  /**
   * They are about to run: a name without a value is refused, except in a script, whose shell has names of
   * its own.
   */
  readonly complete?: boolean;
}

/** The current settings of a task; throws `InvalidInput` if a parameter cannot be resolved. */
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
  const params: Record<string, string> = {};
  for (const [name, { value }] of values) {
    if (!RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) params[name] = value;
  }
  /**
   * A statement keeps its references: the worker binds them to parameters, including built-ins and secrets.
   */
  const keep = (text: string, path: readonly string[]) =>
    within(path.join('.'), () => {
      for (const name of references(text))
        params[name] ??= name.startsWith(SECRET_PREFIX)
          ? (secret?.(name.slice(SECRET_PREFIX.length)) ?? '')
          : neededValue(values, name);
      return expandSqlTimes(text, { value: (name) => params[name], businessTime, zone: here });
    });
  const fill = (text: string, path: readonly string[]) => {
    if (complete && isCode(spec, path)) return withoutMarks(text);
    if (complete && isStatement(spec, path) && !parsedPlace(spec.type, spec.with, path))
      return keep(withoutMarks(text), path);
    const needed = complete && !isScript(spec, path);
    const value = (name: string) => {
      if (name.startsWith(SECRET_PREFIX)) return secret?.(name.slice(SECRET_PREFIX.length));
      return needed ? neededValue(values, name) : values.get(name)?.value;
    };
    const foreign = (name: string) => values.get(name)?.foreign === true;
    const expansion = { value, foreign, businessTime, zone: here };
    return within(path.join('.'), () => expandSetting(spec, path, text, expansion));
  };
  return { with: filled(spec.with, fill, []), params };
}

type SettingExpansion = Omit<Parameters<typeof expandScript>[1], 'shell'>;

/** Expands one text of the settings. A foreign value is data wherever a program would parse it. */
function expandSetting(
  spec: TaskSpec,
  path: readonly string[],
  text: string,
  expansion: SettingExpansion,
): string {
  const [key] = path;
  if (isShellType(spec.type) && path.length === 1) return expandShellSetting(spec, key, text, expansion);
  if ((spec.type === 'http' || spec.type === 'wait') && key === 'url') return expandUrl(text, expansion);
  const place = parsedPlace(spec.type, spec.with, path);
  if (place) return expandParsed(text, place, expansion);
  const expanded = expand(text, expansion);
  if (spec.type === 'http' && key === 'headers' && /[\r\n]/.test(expanded))
    throw new InvalidInput(said('param.header'));
  return expanded;
}

/** A foreign value never becomes part of the script, and cannot choose the program that reads it. */
function expandShellSetting(
  { with: settings }: TaskSpec,
  key: string,
  text: string,
  expansion: SettingExpansion,
): string {
  if (key === 'script') {
    const { shell } = settings as { readonly shell?: unknown };
    const program = typeof shell === 'string' ? expand(shell, expansion) : '/bin/sh';
    return expandScript(text, { ...expansion, shell: program });
  }
  const foreign = key === 'shell' ? references(text).find(expansion.foreign) : undefined;
  if (foreign === undefined) return expand(text, expansion);
  throw new InvalidInput(said('param.program', { name: foreign }));
}

/** Whether a text of a task's settings is a program, in which `${NAME}` may be a variable of its language. */
function isScript({ type }: TaskSpec, path: readonly string[]): boolean {
  return isShellType(type) || path.at(-1) === 'script';
}

/** Types whose `script` a shell reads: foreign values in it are quoted. */
function isShellType(type: string): boolean {
  return type === 'shell' || type === 'ssh';
}

/**
 * Whether a text is SQL: the worker binds its references instead of inserting values. This includes a
 * plugin's setting `sql`.
 */
function isStatement({ type }: TaskSpec, [first, ...rest]: readonly string[]): boolean {
  return (rest.at(-1) ?? first) === 'sql' || (type === 'sql' && (first === 'before' || first === 'after'));
}

/** Whether a text is a program that reads its own parameters. */
function isCode({ type }: TaskSpec, [first]: readonly string[]): boolean {
  return type === 'python' && first === 'code';
}

const placeholders = new WeakMap<TaskSpec, boolean>();

/** Whether a task's settings may contain placeholders; checked once per version, not per attempt. */
function hasPlaceholder(spec: TaskSpec): boolean {
  let has = placeholders.get(spec);
  if (has === undefined) {
    has = JSON.stringify(spec.with ?? null).includes('$');
    placeholders.set(spec, has);
  }
  return has;
}

/** Expands every text of a value. */
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
