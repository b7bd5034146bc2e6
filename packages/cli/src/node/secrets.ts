/**
 * Where secrets are kept: a file in a folder, or the environment of the process. One of the project counts more than
 * one that all projects share, and a file more than a variable. They are read again each time: a change takes effect.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import { isSecretName, type ReadSecret } from '@orrery/core/params';
import { said } from '@orrery/core/texts';

/** Where to look. */
export interface SecretPlaces {
  /** Holds `<name>` and `<project>/<name>`. */
  readonly folder?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A secret is sent with every attempt that names it. */
const LARGEST = 65_536;

/** Reads secrets from these places. */
export function secretReader({ folder, environment }: SecretPlaces): ReadSecret {
  return async (name, project) => {
    if (!isSecretName(name)) throw new InvalidInput(said('param.secretName', { name: JSON.stringify(name) }));
    // Checked where it was stored; a path out of the folder must not depend on that.
    if (project !== undefined && (project.startsWith('.') || basename(project) !== project))
      throw new InvalidInput(`${JSON.stringify(project)} is not the name of a project`);
    const tried: string[] = [];
    for (const scope of project === undefined ? [undefined] : [project, undefined]) {
      const path = folder && join(folder, scope ?? '', name);
      const variable = secretVariable(name, scope);
      const value = (path && (await readSecretFile(path, name))) ?? (variable && environment[variable]);
      if (value !== undefined && value !== '') return value;
      tried.push(...[path, variable].filter((place) => place !== undefined));
    }
    throw new InvalidInput(`there is no secret "${name}"${missing(tried, [name, project])}`);
  };
}

const IN_VARIABLE = /^[a-z0-9]+(_[a-z0-9]+)*$/;

/**
 * The variable of a secret; no two secrets share one. So only names of lower-case letters and digits, joined
 * by single `_`, have a variable: others, such as `a-b`, `A` and `a__b`, would collide with `a_b`, `a` and
 * `b` of project `a`.
 */
export function secretVariable(name: string, project?: string): string | undefined {
  const parts = project === undefined ? [name] : [project, name];
  if (!parts.every((part) => IN_VARIABLE.test(part))) return undefined;
  return `ORRERY_SECRET_${parts.join('__').toUpperCase()}`;
}

function missing(tried: readonly string[], names: readonly (string | undefined)[]): string {
  const unfit = names.find((name) => name !== undefined && !IN_VARIABLE.test(name));
  const looked = tried.length > 0 ? `; looked for ${tried.join(', ')}` : '';
  if (unfit === undefined) return looked;
  return `${looked}; "${unfit}" cannot stand in the name of a variable: use a file in the secrets folder`;
}

/** The text of a file without the end of its last line; undefined where there is none, or the folder of a project. */
async function readSecretFile(path: string, name: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST) throw new InvalidInput(`secret "${name}" is longer than ${LARGEST} bytes: ${path}`);
    const text = await readFile(path, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new InvalidInput(`secret "${name}" cannot be read: ${message}`);
  }
}
