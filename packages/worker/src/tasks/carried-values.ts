/**
 * Values on their way into a shell script: variables of its environment, and above what an environment can hold files
 * that a first line of the script reads into variables of the shell. The script refers to them and holds none.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierVariable } from '@orrery/core/params';

/** A longer value comes by file: Linux takes no longer variable than 128 KB. */
const LONGEST_VARIABLE = 100_000;

/** All variables together; what is above it comes by file too, since arguments and environment share one limit. */
const MOST_BYTES = 300_000;

/** A script and the variables it needs. */
export interface CarriedScript {
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Gives a script the parameters that it refers to by their variables. */
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
  // In front of the first line and not above it: messages of the shell keep their line numbers.
  return { script: `${reads.join('')}${script}`, environment };
}

/** The part of a line that reads a value; the dot keeps the shell from cutting off newlines at its end. */
function readsFile(variable: string, value: string, workDir: string): string {
  const folder = join(workDir, 'values');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, variable);
  writeFileSync(file, value, { mode: 0o600 });
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
  return `${variable}=$(cat ${quoted} && echo .) || exit 1; ${variable}=\${${variable}%.}; `;
}
