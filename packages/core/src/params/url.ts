/** Addresses of requests: a value that is not the author's is one part of the address and never ends that part. */
import { InvalidInput } from '../errors.ts';
import { type Expansion, expand, pieces } from './template.ts';

/** Where the values of an address come from. */
interface UrlExpansion extends Expansion {
  /** Whether a value is not the author's. */
  foreign(name: string): boolean;
}

const IN_PATH = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*[/?#]/i;
const HOST = /^[\w.:[\]-]*$/;

/** The address for one task. A value at its very beginning is an address itself; `${x:raw}` is text. */
export function expandUrl(template: string, expansion: UrlExpansion): string {
  let url = '';
  for (const piece of pieces(template)) {
    const text = expand(piece.text, expansion);
    const isForeign = piece.kind === 'reference' && !piece.raw && expansion.foreign(piece.name);
    if (!isForeign || url === '') url += text;
    else if (IN_PATH.test(url)) url += encodeURIComponent(text.toWellFormed());
    else if (HOST.test(text)) url += text;
    else throw new InvalidInput(`${piece.text} stands for a host, and its value is none`, expansion.at);
  }
  return url;
}
