/**
 * Secrets: values that are named where they are used, `${secret.NAME}`, and known only to whoever gives a task to a
 * worker. Only what editors write may name one: in a value that came with a start or from a program it stays text.
 */

import { InvalidInput } from '../errors.ts';

/** What a reference to a secret begins with. */
export const SECRET_PREFIX = 'secret.';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,99}$/;

/** What names of secrets may be, for those who refuse one. */
export const SECRET_NAMES = 'use at most 100 letters, digits, "_" and "-", the first a letter or "_"';

/** Whether a text can be the name of a secret: safe as the name of a file and in the environment. */
export function isSecretName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Reads a secret, of a project where one is given and else the one all projects share. Rejects with an `InvalidInput`
 * that names the secret and where it was looked for. Never write what it answers to a store or a log.
 */
export type ReadSecret = (name: string, project?: string) => Promise<string>;

const MARK = /\0([^\0]*)\0/g;

/**
 * What stands for a secret in the settings of a task until they are sent to a worker: so its value is in no store. No
 * text from elsewhere can look like it: null characters in templates and outputs are replaced.
 */
export function secretMark(name: string): string {
  if (!isSecretName(name))
    throw new InvalidInput(`${JSON.stringify(name)} is not the name of a secret; ${SECRET_NAMES}`);
  return `\0${name}\0`;
}

/** Whether a text has the mark of a secret in it. */
export function hasSecretMark(text: string): boolean {
  return text.includes('\0');
}

/** A text that has no mark: what people and programs write passes through here. */
export function withoutMarks(text: string): string {
  return hasSecretMark(text) ? text.replaceAll('\0', '\uFFFD') : text;
}

/** A value with secrets in place of their marks, in every text of it. */
export function withSecrets<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return mapTexts(value, (text) => text.replace(MARK, (mark, name) => secrets.get(name) ?? mark)) as T;
}

/** A value with every text of it changed. */
export function mapTexts(value: unknown, put: (text: string) => string): unknown {
  if (typeof value === 'string') return put(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, put));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, put)]));
}
