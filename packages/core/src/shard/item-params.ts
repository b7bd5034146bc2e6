/**
 * Item parameters: the text `0=beijing,1=shanghai` gives shards names for users. An ASCII or a full-width
 * comma separates entries; items without an entry have an empty parameter.
 */
import { InvalidInput } from '../errors.ts';

/** Parses the parameter of every item 0..items-1. Throws with the place of the first invalid entry. */
export function parseItemParameters(text: string, items: number): string[] {
  const parameters = new Map<number, string>();
  let at = 0;
  const entries = text.trim() === '' ? [] : text.replace(/[,，]\s*$/, '').split(/[,，]/);
  for (const entry of entries) {
    const [, number, parameter] = /^\s*(\d+)\s*=(.*)$/s.exec(entry) ?? [];
    if (number === undefined) {
      refuse(at, `"${entry.trim()}" is not an item number, "=" and a parameter, as in 0=beijing,1=shanghai`);
    }
    const item = Number(number);
    if (item >= items) refuse(at, `item ${number} does not exist; there are ${items}, counted from 0`);
    if (parameters.has(item)) refuse(at, `item ${item} is given twice`);
    parameters.set(item, parameter.trim());
    at += entry.length + 1;
  }
  return Array.from({ length: items }, (_, item) => parameters.get(item) ?? '');
}

function refuse(at: number, message: string): never {
  throw new InvalidInput(message, `item parameters, character ${at + 1}`);
}
