/**
 * Passes values to a shell script: as environment variables, or, above what an environment can hold, as files
 * that the script's first line reads into shell variables. The script refers to the values and contains none.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierVariable } from '@orrery/core/params';

/** A longer value is passed as a file: Linux limits a variable to 128 KB. */
const LONGEST_VARIABLE = 100_000;

/**
 * Limit of all variables together. Values above it are passed as files too, since arguments and environment
 * share one limit.
 */
const MOST_BYTES = 300_000;

/** A script and the variables it needs. */
export interface CarriedScript {
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Passes a script the parameters whose variables it refers to. */
export function carryValues(
  script: string,
  params: Readonly<Record<string, string>>,
  workDir: string,
): CarriedScript {
  const environment: Record<string, string> = {};
  const reads: string[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(params)) {
    const variable = carrierVariable(name);
    if (!script.includes(`\${${variable}}`)) continue;
    const size = Buffer.byteLength(value);
    if (size <= LONGEST_VARIABLE && bytes + size <= MOST_BYTES) {
      environment[variable] = value;
      bytes += size;
    } else reads.push(readsFile(variable, value, workDir));
  }
  // On the first line and not above it, so that the shell's messages keep their line numbers.
  return { script: `${reads.join('')}${script}`, environment };
}

/** The command that reads a value; the dot keeps the shell from stripping trailing newlines. */
function readsFile(variable: string, value: string, workDir: string): string {
  const folder = join(workDir, 'values');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, variable);
  writeFileSync(file, value, { mode: 0o600 });
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
  return `${variable}=$(cat ${quoted} && echo .) || exit 1; ${variable}=\${${variable}%.}; `;
}
