/**
 * Secrets: values referenced by name as `${secret.NAME}`, and known only to the process that gives a task to
 * a worker. Only texts by editors may name one: in a value from a start or a program, the reference stays
 * text.
 */

import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';

/** Prefix of references to secrets. */
export const SECRET_PREFIX = 'secret.';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/;

/** Allowed names of secrets, for refusals. */

/** Whether a text can be the name of a secret: safe as a file name and in the environment. */
export function isSecretName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Reads a secret: the project's own if a project is given, else the one shared by all projects. Rejects with
 * an `InvalidInput` that names the secret and the searched places. Never write the result to a store or a
 * log.
 */
export type ReadSecret = (name: string, project?: string) => Promise<string>;

const MARK = /\0([^\0]*)\0/g;

/**
 * Stands for a secret in the settings of a task until they are sent to a worker, so that no store contains
 * its value. No other text can look like it: null characters in templates and outputs are replaced.
 */
export function secretMark(name: string): string {
  if (!isSecretName(name)) throw new InvalidInput(said('param.secretName', { name: JSON.stringify(name) }));
  return `\0${name}\0`;
}

/** Whether a text contains the mark of a secret. */
export function hasSecretMark(text: string): boolean {
  return text.includes('\0');
}

/** A text without marks; every text from people and programs passes through here. */
export function withoutMarks(text: string): string {
  return hasSecretMark(text) ? text.replaceAll('\0', '\uFFFD') : text;
}

/** Replaces marks by secrets in every text of a value. */
export function withSecrets<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return mapTexts(value, (text) => text.replace(MARK, (mark, name) => secrets.get(name) ?? mark)) as T;
}

/** Maps every text of a value. */
export function mapTexts(value: unknown, put: (text: string) => string): unknown {
  if (typeof value === 'string') return put(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, put));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, put)]));
}
