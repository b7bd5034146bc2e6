/**
 * Item parameters: the text `0=beijing,1=shanghai` gives shards names for users. An ASCII or a full-width
 * comma separates entries; items without an entry have an empty parameter.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';

/** Parses the parameter of every item 0..items-1. Throws with the place of the first invalid entry. */
export function parseItemParameters(text: string, items: number): string[] {
  const parameters = new Map<number, string>();
  let at = 0;
  const entries = text.trim() === '' ? [] : text.replace(/[,，]\s*$/, '').split(/[,，]/);
  for (const entry of entries) {
    const [, number, parameter] = /^\s*(\d+)\s*=(.*)$/s.exec(entry) ?? [];
    if (number === undefined) {
      refuse(at, said('shard.badEntry', { entry: entry.trim() }));
    }
    const item = Number(number);
    if (item >= items) refuse(at, said('shard.noItem', { item: number, count: items }));
    if (parameters.has(item)) refuse(at, said('shard.itemTwice', { item }));
    parameters.set(item, parameter.trim());
    at += entry.length + 1;
  }
  return Array.from({ length: items }, (_, item) => parameters.get(item) ?? '');
}

function refuse(at: number, words: Said): never {
  throw new InvalidInput(words, `item parameters, character ${at + 1}`);
}
