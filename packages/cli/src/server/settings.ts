/**
 * The settings of `orrery server` as they take effect: an option counts more than an environment variable, that more
 * than the file, that more than the default. Each value knows where it comes from.
 */
import { InvalidInput } from '@orrery/core/errors';
import type { Role } from '../node/options.ts';
import { flagOf, type SettingName, type Spec, specs, variableOf } from './setting-specs.ts';

type Read<Name extends SettingName> = ReturnType<(typeof specs)[Name]['read']>;

/** The values, read; one that was not given and has no default is not there. */
export type Settings = {
  readonly [Name in SettingName]?: (typeof specs)[Name] extends { list: true }
    ? readonly Read<Name>[]
    : Read<Name>;
};

/** A setting as people see it. */
export interface Effective {
  readonly name: string;
  /** The password of a database is left out. */
  readonly value: string | number | boolean | null;
  /** `option`, the name of an environment variable, the path of the file, or `default`. */
  readonly source: string;
  /** Not for anybody's eyes. */
  readonly secret: boolean;
}

/** Where values come from. */
export interface Sources {
  /** What the command line gave, by name. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file?: { readonly path: string; readonly values: Readonly<Record<string, unknown>> };
}

interface Given {
  readonly texts: readonly string[];
  readonly source: string;
  /** How an error names it. */
  readonly at: string;
}

/** Reads all settings; refuses the first that is wrong, and options that the roles have no use for. */
export function readSettings(sources: Sources): { settings: Settings; effective: readonly Effective[] } {
  const settings: Record<string, unknown> = {};
  const effective: Effective[] = [];
  checkKeys(sources.file);
  for (const [name, spec] of Object.entries<Spec<unknown>>(specs)) {
    const given = find(name, spec, sources);
    if (given) settings[name] = readGiven(given, spec);
    effective.push({
      name,
      value: spec.secret ? null : ((given && shown(given.texts)) ?? null),
      source: given?.source ?? 'default',
      secret: spec.secret ?? false,
    });
  }
  checkRoles(settings.role as readonly Role[] | undefined, sources);
  return { settings: settings as Settings, effective };
}

function find(
  name: string,
  { list, separator, otherwise }: Spec<unknown>,
  sources: Sources,
): Given | undefined {
  const { options, environment, file } = sources;
  const option = options[name];
  const variable = variableOf(name);
  const given = (value: unknown, source: string, at: string): Given => ({
    texts: texts(value, list, at, separator),
    source,
    at,
  });
  if (option !== undefined) return given(option, 'option', flagOf(name));
  // An empty variable counts as none: that is how shells unset one for a single command.
  if (environment[variable]) return given(environment[variable], variable, variable);
  if (file && file.values[name] != null) return given(file.values[name], file.path, `${file.path}: ${name}`);
  return otherwise === undefined ? undefined : given(otherwise, 'default', name);
}

/** A value as texts: several where the setting is a list, else one. */
function texts(
  value: unknown,
  list: true | undefined,
  at: string,
  separator: string | RegExp = ',',
): string[] {
  const parts = Array.isArray(value) ? value : [value];
  const wrong = parts.some((part) => !['string', 'number', 'boolean'].includes(typeof part));
  if (wrong || (!list && parts.length !== 1))
    throw new InvalidInput(list ? 'a text or a list of texts is wanted' : 'a single value is wanted', at);
  if (!list) return [String(parts[0])];
  return parts
    .flatMap((part) => String(part).split(separator))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function readGiven({ texts, at }: Given, { list, read }: Spec<unknown>): unknown {
  try {
    return list ? texts.map(read) : read(texts[0]);
  } catch (error) {
    throw error instanceof InvalidInput ? new InvalidInput(error.message, at) : error;
  }
}

/** Values as people see them: without passwords. */
export function shown(texts: readonly string[]): string {
  const text = texts.join(', ').replace(/^(\w+:\/\/[^:@/]*):[^/]*@/, '$1@');
  return text.replace(/([?&]password=)[^&]*/, '$1…');
}

function checkKeys(file: Sources['file']): void {
  const unknown = Object.keys(file?.values ?? {}).filter((key) => !(key in specs));
  if (unknown.length > 0)
    throw new InvalidInput(
      `there is no setting "${unknown[0]}"; there are: ${Object.keys(specs).join(', ')}`,
      file?.path,
    );
}

/** An option that does nothing is a mistake; in the environment and the file, other processes may need it. */
function checkRoles(given: readonly Role[] | undefined, { options }: Sources): void {
  for (const [name, spec] of Object.entries<Spec<unknown>>(specs)) {
    if (options[name] === undefined || !spec.roles || !given) continue;
    if (!spec.roles.some((role) => given.includes(role)))
      throw new InvalidInput(
        `only for ${spec.roles.join(' and ')}; this process is ${given.join(', ')}`,
        flagOf(name),
      );
  }
}
