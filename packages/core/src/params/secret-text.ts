/** Texts that may name secrets but no other parameters, such as the variables of an environment. */
import { mapTexts, SECRET_PREFIX } from './secret.ts';
import { pieces, references } from './template.ts';

/** Secrets named in a text, each once. */
export function secretsNamed(text: string): string[] {
  return references(text)
    .filter((name) => name.startsWith(SECRET_PREFIX))
    .map((name) => name.slice(SECRET_PREFIX.length));
}

/** Fills in the secrets of a text and leaves all else unchanged. */
export function putSecrets(text: string, secrets: ReadonlyMap<string, string>): string {
  const put = (name: string) =>
    name.startsWith(SECRET_PREFIX) ? secrets.get(name.slice(SECRET_PREFIX.length)) : undefined;
  return pieces(text)
    .map((piece) => (piece.kind === 'reference' ? (put(piece.name) ?? piece.text) : piece.text))
    .join('');
}

/** Secrets named in the texts of a value, at any depth, each once. */
export function secretsWithin(value: unknown): string[] {
  const names = new Set<string>();
  mapTexts(value, (text) => {
    for (const name of secretsNamed(text)) names.add(name);
    return text;
  });
  return [...names];
}

/** Fills in the secrets named in a value's texts. */
export function putSecretsWithin<T>(value: T, secrets: ReadonlyMap<string, string>): T {
  return mapTexts(value, (text) => putSecrets(text, secrets)) as T;
}
