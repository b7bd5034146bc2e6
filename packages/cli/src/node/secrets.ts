/**
 * Where secrets are kept: a file in a folder, or the environment of the process. One of the project counts more than
 * one that all projects share, and a file more than a variable. They are read anew each time: a change takes effect.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import { isSecretName, type ReadSecret, SECRET_NAMES } from '@orrery/core/params';

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
    if (!isSecretName(name))
      throw new InvalidInput(`${JSON.stringify(name)} is not the name of a secret; ${SECRET_NAMES}`);
    const tried: string[] = [];
    for (const scope of project === undefined ? [[]] : [[project], []]) {
      const path = folder && join(folder, ...scope, name);
      const variable = `ORRERY_SECRET_${[...scope, name].map(inVariable).join('__')}`;
      const value = (path && (await readSecretFile(path, name))) ?? environment[variable];
      if (value !== undefined && value !== '') return value;
      tried.push(...(path ? [path] : []), variable);
    }
    throw new InvalidInput(`there is no secret "${name}"; looked for ${tried.join(', ')}`);
  };
}

/** The text of a file without the end of its last line; undefined where there is no such file. */
async function readSecretFile(path: string, name: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST) throw new InvalidInput(`secret "${name}" is longer than ${LARGEST} bytes: ${path}`);
    const text = await readFile(path, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new InvalidInput(`secret "${name}" cannot be read: ${message}`);
  }
}

function inVariable(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
