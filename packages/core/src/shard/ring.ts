/**
 * Consistent hashing: every node has many points on a ring, and a key belongs to the first point at or after
 * its own place. When a node joins, keys move only to it; when it leaves, only its own keys move.
 */
import { sortNodes } from './order.ts';

/** Default number of points per node: shares stay within about a quarter of the mean. */
export const VIRTUAL_NODES = 160;

/** A point is place * SLOT + rank of its node: numbers sort without a comparator, and ties are resolved. */
const SLOT = 2 ** 20;

/** Builds the ring once and returns its look-up, which returns undefined only without nodes. */
export function ring(nodes: readonly string[], virtualNodes: number): (key: string) => string | undefined {
  const sorted = sortNodes(nodes);
  const points = new Float64Array(sorted.length * virtualNodes);
  let next = 0;
  sorted.forEach((node, rank) => {
    for (let i = 0; i < virtualNodes; i++) points[next++] = placeOf(`${node}#${i}`) * SLOT + rank;
  });
  points.sort();
  return (key) => {
    if (points.length === 0) return undefined;
    const wanted = placeOf(key) * SLOT;
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (points[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return sorted[points[low === points.length ? 0 : low] % SLOT];
  };
}

/**
 * A place on the ring, 0 to 2^32 - 1: FNV-1a over UTF-16 units, then mixed so that similar texts lie far
 * apart.
 */
function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
