/** Texts in which secrets are named and nothing else is put in, such as the variables of an environment. */
import { mapTexts, SECRET_PREFIX } from './secret.ts';
import { pieces, references } from './template.ts';

/** The secrets that a text names, each once. */
export function secretsNamed(text: string): string[] {
  return references(text)
    .filter((name) => name.startsWith(SECRET_PREFIX))
    .map((name) => name.slice(SECRET_PREFIX.length));
}

/** A text with the secrets it names put in, and all else as it is. */
export function putSecrets(text: string, secrets: ReadonlyMap<string, string>): string {
  const put = (name: string) =>
    name.startsWith(SECRET_PREFIX) ? secrets.get(name.slice(SECRET_PREFIX.length)) : undefined;
  return pieces(text)
    .map((piece) => (piece.kind === 'reference' ? (put(piece.name) ?? piece.text) : piece.text))
    .join('');
}

/** The secrets that the texts of a value name, however deep, each once. */
export function secretsWithin(value: unknown): string[] {
  const names = new Set<string>();
  mapTexts(value, (text) => {
    for (const name of secretsNamed(text)) names.add(name);
    return text;
  });
  return [...names];
}

/** A value with the secrets that its texts name put in. */
export function putSecretsWithin<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return mapTexts(value, (text) => putSecrets(text, secrets)) as T;
}
