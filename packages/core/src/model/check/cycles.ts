/** Finds cycles in a graph of things that refer to each other by name. */
import { buildDag, findCycle } from '../../dag/index.ts';

/** Limit of cycles found at once; each takes a walk over the graph. */
const MOST_CYCLES = 10;
/** Limit of members named per cycle. */
const MOST_NAMED = 20;

/** Up to ten cycles without common members, each in the order of its edges (`from, to, from, to, …`). */
export function findCycles(size: number, edges: readonly number[]): number[][] {
  const found: number[][] = [];
  let left = Int32Array.from(edges);
  while (left.length > 0 && found.length < MOST_CYCLES) {
    const cycle = findCycle(buildDag(size, left));
    if (!cycle) break;
    found.push(cycle);
    const members = new Set(cycle);
    left = left.filter((_, i) => !members.has(left[i | 1]));
  }
  return found;
}

/** A cycle as text: `a -> b -> a`. */
export function printCycle(names: readonly string[]): string {
  const shown =
    names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), `… (${names.length} in all)`] : names;
  return [...shown, names[0]].join(' -> ');
}
