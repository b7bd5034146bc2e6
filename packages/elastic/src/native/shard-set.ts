/** Sets of shards as short text: `0-3,7`. A division of ten thousand shards stays small in the registry. */
import { InvalidInput } from '@orrery/core/errors';

/** Writes shards in ascending order, runs of them as ranges. */
export function writeShards(shards: Iterable<number>): string {
  const sorted = [...new Set(shards)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === sorted[end] + 1) end++;
    parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(',');
}

/** Reads what `writeShards` wrote; refuses anything else. */
export function readShards(text: string): number[] {
  return shardRanges(text).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
}

/** The same as ranges, first and last included. */
export function shardRanges(text: string): (readonly [from: number, to: number])[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || to < from) throw new InvalidInput(`"${part}" is no set of shards`);
    return [from, to];
  });
}
