/**
 * Secrets: values that are named where they are used, `${secret.NAME}`, and known only to whoever gives a task to a
 * worker. Only what editors write may name one: in a value that came with a start or from a program it stays text.
 */

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
