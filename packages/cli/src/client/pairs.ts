/** Options that are given as `key=value`, and may be repeated. */
import { InvalidArgumentError } from 'commander';

/** Adds a pair to those given so far; refuses one without a key. */
export function addPair(pair: string, soFar: Record<string, string> = {}): Record<string, string> {
  const cut = pair.indexOf('=');
  if (cut > 0) return { ...soFar, [pair.slice(0, cut)]: pair.slice(cut + 1) };
  throw new InvalidArgumentError('Write a key, "=" and a value.');
}
