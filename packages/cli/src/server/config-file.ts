/** The settings file: YAML, and so also JSON. */
import { readFileSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';
import { parse } from 'yaml';

/** Reads it; its keys are checked where its values are read. */
export function readConfigFile(path: string): Record<string, unknown> {
  let values: unknown;
  try {
    values = parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new InvalidInput((error as Error).message.split('\n', 1)[0], path);
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new InvalidInput('a list of settings is wanted, one "name: value" a line', path);
  return values as Record<string, unknown>;
}
