/**
 * Request URLs: a foreign value, one not written by the author, fills one part of the URL and never ends that
 * part.
 */
import { InvalidInput } from '../errors.ts';
import { said } from '../texts/index.ts';
import { type Expansion, expand, pieces } from './template.ts';

/** Source of a URL's values. */
interface UrlExpansion extends Expansion {
  /** Whether a value was not written by the author. */
  foreign(name: string): boolean;
}

const IN_PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*[/?#]/i;
const HOST = /^[\w.:[\]-]*$/;

/** Expands a URL for one task. A value at the very start is itself a URL; `${x:raw}` is text. */
export function expandUrl(template: string, expansion: UrlExpansion): string {
  let url = '';
  for (const piece of pieces(template)) {
    const text = expand(piece.text, expansion);
    const isForeign = piece.kind === 'reference' && !piece.raw && expansion.foreign(piece.name);
    if (!isForeign || url === '') url += text;
    else if (IN_PATH.test(url)) url += encodeURIComponent(text.toWellFormed());
    else if (HOST.test(text)) url += text;
    else throw new InvalidInput(said('param.notAHost', { text: piece.text }), expansion.at);
  }
  return url;
}
