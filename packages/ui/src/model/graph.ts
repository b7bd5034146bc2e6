/**
 * The drawn graph of a run: boxes and arrows. A box is one task, or a fold of many similar ones. It depends
 * only on the structure, never on states, so that an event redraws a box without a new layout.
 */

/** What of a task decides its place. */
export interface GraphTask {
  readonly name: string;
  readonly type: string;
  readonly needs: readonly string[];
}

/** A box: `tasks` are indexes into the run's tasks, one unless the box is a fold. */
export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly tasks: readonly number[];
  readonly fold: boolean;
  /** Of a task that was taken out of a fold: the fold, which can be closed again. */
  readonly from: string | null;
}

/** Boxes, arrows between them as pairs of their indexes, and the way back from a task to its box. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [number, number])[];
  readonly nodeOf: Int32Array;
  /** A hash of the structure: equal for equal graphs of any run. */
  readonly hash: string;
}

/** Siblings beyond this number are drawn as one box. */
export const FOLD_ABOVE = 60;
/** Runs with more tasks than this are drawn by depth and type, one box each. */
const FOLD_ALL_ABOVE = 5_000;

/** The tasks before and after each task, by index. */
export interface Links {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** The index of each task by name. */
export function placesOf(tasks: readonly GraphTask[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [i, { name }] of tasks.entries()) places.set(name, i);
  return places;
}

/** The arrows of tasks; names that no task has are left out. */
export function linksOf(tasks: readonly GraphTask[], places = placesOf(tasks)): Links {
  const after: number[][] = tasks.map(() => []);
  const before: number[][] = tasks.map(() => []);
  for (const [i, { needs }] of tasks.entries()) {
    for (const name of needs) {
      const from = places.get(name);
      if (from === undefined) continue;
      before[i].push(from);
      after[from].push(i);
    }
  }
  return { before, after };
}

/** How many arrows lead to each task at most. Needs no cycle: published workflows have none. */
export function depthsOf({ before, after }: Links): Int32Array {
  const depth = new Int32Array(before.length);
  const open = before.map((needs) => needs.length);
  const ready = open.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let at = 0; at < ready.length; at++) {
    for (const next of after[ready[at]]) {
      depth[next] = Math.max(depth[next], depth[ready[at]] + 1);
      if (--open[next] === 0) ready.push(next);
    }
  }
  return depth;
}

/** Boxes and arrows of tasks; folds named in `opened` are drawn task by task. */
export function graphOf(
  tasks: readonly GraphTask[],
  links: Links,
  opened: ReadonlySet<string> = new Set(),
): Graph {
  const keys = tasks.length > FOLD_ALL_ABOVE ? keysByDepth(tasks, links) : keysBySiblings(tasks, links);
  const members = Map.groupBy(tasks.keys(), (i) => keys[i]);
  const least = tasks.length > FOLD_ALL_ABOVE ? 1 : FOLD_ABOVE;
  const nodes: GraphNode[] = [];
  const nodeOf = new Int32Array(tasks.length).fill(-1);
  tasks.forEach(({ name }, i) => {
    if (nodeOf[i] >= 0) return;
    const alike = members.get(keys[i]) ?? [i];
    const id = `fold:${tasks[alike[0]].name}`;
    const folds = alike.length > least;
    const fold = folds && !opened.has(id);
    const inside = fold ? alike : [i];
    for (const task of inside) nodeOf[task] = nodes.length;
    const label = fold ? foldLabel(tasks, alike) : name;
    nodes.push({ id: fold ? id : name, label, tasks: inside, fold, from: folds && !fold ? id : null });
  });
  const edges = edgesOf(links, nodeOf, nodes.length);
  return { nodes, edges, nodeOf, hash: hashOf(nodes, edges) };
}

/** `240 × extract_n`, by what the names have in common at their start. */
function foldLabel(tasks: readonly GraphTask[], inside: readonly number[]): string {
  let common = tasks[inside[0]].name;
  for (const i of inside) {
    while (!tasks[i].name.startsWith(common)) common = common.slice(0, -1);
  }
  const stem = common.replace(/[\d]+$/, '');
  return `${inside.length} × ${stem === '' ? tasks[inside[0]].type : `${stem}n`}`;
}

function keysBySiblings(tasks: readonly GraphTask[], { before, after }: Links): string[] {
  const listed = (indexes: readonly number[]) => [...indexes].sort((a, b) => a - b).join(',');
  return tasks.map(({ type }, i) => `${type}|${listed(before[i])}|${listed(after[i])}`);
}

/** Tasks of one depth never need each other, so folding them closes no loop. */
function keysByDepth(tasks: readonly GraphTask[], links: Links): string[] {
  const depth = depthsOf(links);
  return tasks.map(({ type }, i) => `${depth[i]}|${type}`);
}

function edgesOf({ after }: Links, nodeOf: Int32Array, size: number): [number, number][] {
  const seen = new Set<number>();
  const edges: [number, number][] = [];
  after.forEach((next, i) => {
    for (const task of next) {
      const [from, to] = [nodeOf[i], nodeOf[task]];
      const key = from * size + to;
      if (from === to || seen.has(key)) continue;
      seen.add(key);
      edges.push([from, to]);
    }
  });
  return edges;
}

/** Two rounds of FNV-1a with different starts: 64 bits, enough to tell pictures apart. */
function hashOf(nodes: readonly GraphNode[], edges: readonly (readonly [number, number])[]): string {
  const text = `${nodes.map(({ id }) => id).join('\n')}\n\n${edges.join(';')}`;
  const half = (start: number) => {
    let hash = start;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  };
  return half(0x811c9dc5) + half(0x050c5d1f);
}

/** Everything that comes after the given tasks, or before them, themselves included. */
export function reach(links: readonly (readonly number[])[], from: Iterable<number>): Set<number> {
  const found = new Set(from);
  for (const i of found) for (const next of links[i]) found.add(next);
  return found;
}
