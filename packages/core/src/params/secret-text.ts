/** Texts in which secrets are named and nothing else is put in, such as the variables of an environment. */
import { SECRET_PREFIX } from './secret.ts';
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
