/**
 * The graph of a workflow: tasks are the indexes 0..size-1, and an edge means "`to` starts after `from`".
 * Both directions are stored in compressed rows (CSR), each row ascending, so equal edges give an equal graph
 * whatever their order. All algorithms are iterative and linear in tasks plus edges.
 */
import { InvalidInput } from '../errors.ts';

/** An immutable graph. Successors of `i` are `successor[successorStart[i] .. successorStart[i + 1])`. */
export interface Dag {
  readonly size: number;
  readonly edges: number;
  readonly successorStart: Int32Array;
  readonly successor: Int32Array;
  readonly predecessorStart: Int32Array;
  readonly predecessor: Int32Array;
}

/** Edges as pairs, or flat (`from, to, from, to, …`) if there are too many for an array each. */
export type Edges = readonly (readonly [from: number, to: number])[] | Int32Array;

/**
 * The part of a graph that a run covers: all tasks, the picked ones, or those with all that follows or
 * precedes them.
 */
export type Scope = 'all' | 'from' | 'to' | 'only';

/** Builds the graph. Duplicate edges count once; a cycle is accepted here and found by `findCycle`. */
export function buildDag(size: number, edges: Edges): Dag {
  if (!Number.isInteger(size) || size < 0)
    throw new InvalidInput(`${size} tasks; give a whole number from 0`);
  const given = edges instanceof Int32Array ? edges : undefined;
  const pairs = edges instanceof Int32Array ? [] : edges;
  const total = given ? given.length / 2 : pairs.length;
  if (!Number.isInteger(total))
    throw new InvalidInput('flat edges have an odd length; give pairs of from, to');

  // Buckets the edges by `to`; reading the buckets in order then fills the successor rows ascending.
  const flat = given ?? new Int32Array(total * 2);
  const count = new Int32Array(size + 1);
  for (let i = 0; i < total; i++) {
    const from = given ? given[2 * i] : pairs[i][0];
    const to = given ? given[2 * i + 1] : pairs[i][1];
    checkTask(from, size, 'edge from task');
    checkTask(to, size, 'edge to task');
    if (from === to) throw new InvalidInput(`task ${from} has an edge to itself`);
    flat[2 * i] = from;
    flat[2 * i + 1] = to;
    count[to]++;
  }
  const bucketStart = starts(count);
  const bucket = new Int32Array(total);
  const end = bucketStart.slice();
  for (let i = 0; i < flat.length; i += 2) {
    bucket[end[flat[i + 1]]++] = flat[i];
  }

  // Drops repeated edges: `seen[from]` is the last `to` of an edge from there, plus one.
  const seen = new Int32Array(size);
  count.fill(0);
  for (let to = 0; to < size; to++) {
    end[to] = bucketStart[to];
    for (let i = bucketStart[to]; i < bucketStart[to + 1]; i++) {
      const from = bucket[i];
      if (seen[from] === to + 1) continue;
      seen[from] = to + 1;
      bucket[end[to]++] = from;
      count[from]++;
    }
  }

  const successorStart = starts(count);
  const successor = new Int32Array(successorStart[size]);
  const predecessorStart = new Int32Array(size + 1);
  const next = successorStart.slice();
  for (let to = 0; to < size; to++) {
    for (let i = bucketStart[to]; i < end[to]; i++) successor[next[bucket[i]]++] = to;
    predecessorStart[to + 1] = predecessorStart[to] + end[to] - bucketStart[to];
  }
  const predecessor = new Int32Array(successor.length);
  next.set(predecessorStart);
  for (let from = 0; from < size; from++) {
    for (let i = successorStart[from]; i < successorStart[from + 1]; i++) {
      predecessor[next[successor[i]]++] = from;
    }
  }
  return { size, edges: successor.length, successorStart, successor, predecessorStart, predecessor };
}

/** The direct successors of `task`, ascending; a view, not a copy. */
export function successors(dag: Dag, task: number): Int32Array {
  return dag.successor.subarray(dag.successorStart[task], dag.successorStart[task + 1]);
}

/** The direct predecessors of `task`, ascending; a view, not a copy. */
export function predecessors(dag: Dag, task: number): Int32Array {
  return dag.predecessor.subarray(dag.predecessorStart[task], dag.predecessorStart[task + 1]);
}

/**
 * All tasks, each after its predecessors: roots by index, then in the order they became free. Throws on a
 * cycle.
 */
export function topologicalOrder(dag: Dag): Int32Array {
  const order = kahn(dag);
  if (order.length < dag.size) throw cycleError(dag);
  return order;
}

/** The tasks of one cycle in the order of its edges, smallest index first; undefined if there is none. */
export function findCycle(dag: Dag): number[] | undefined {
  const order = kahn(dag);
  if (order.length === dag.size) return undefined;
  const left = new Uint8Array(dag.size).fill(1);
  for (const task of order) left[task] = 0;
  // Every leftover task has a leftover predecessor, so walking backwards must reach a cycle.
  const position = new Int32Array(dag.size).fill(-1);
  const path: number[] = [];
  let task = left.indexOf(1);
  while (position[task] < 0) {
    position[task] = path.length;
    path.push(task);
    let at = dag.predecessorStart[task];
    while (left[dag.predecessor[at]] === 0) at++;
    task = dag.predecessor[at];
  }
  const cycle = path.slice(position[task]).reverse();
  const first = cycle.indexOf(cycle.reduce((a, b) => Math.min(a, b)));
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/**
 * Tasks by the length of their longest incoming path. For display only: a task starts when its own
 * predecessors have ended, not when a layer has. Throws on a cycle.
 */
export function layers(dag: Dag): Int32Array[] {
  const order = topologicalOrder(dag);
  const depth = new Int32Array(dag.size);
  // FIFO order sorts by depth, so the deepest predecessor writes last.
  for (const task of order) for (const after of successors(dag, task)) depth[after] = depth[task] + 1;
  const deepest = dag.size === 0 ? -1 : depth[order[dag.size - 1]];
  const rows: number[][] = Array.from({ length: deepest + 1 }, () => []);
  for (let task = 0; task < dag.size; task++) rows[depth[task]].push(task);
  return rows.map((row) => Int32Array.from(row));
}

/** The tasks a run covers, as a mask: 1 for each task in scope. The scope `all` ignores `picked`. */
export function selectTasks(dag: Dag, scope: Scope, picked: readonly number[]): Uint8Array {
  if (scope === 'all') return new Uint8Array(dag.size).fill(1);
  const mask = new Uint8Array(dag.size);
  const found: number[] = [];
  const add = (task: number) => {
    if (mask[task] === 1) return;
    mask[task] = 1;
    found.push(task);
  };
  for (const task of picked) {
    checkTask(task, dag.size, 'picked task');
    add(task);
  }
  if (scope === 'only') return mask;
  const neighbours = scope === 'from' ? successors : predecessors;
  for (let i = 0; i < found.length; i++) neighbours(dag, found[i]).forEach(add);
  return mask;
}

/**
 * Kahn's algorithm with the order itself as the queue; the result is shorter than the graph if there is a
 * cycle.
 */
function kahn(dag: Dag): Int32Array {
  const { size, successorStart, successor, predecessorStart } = dag;
  const order = new Int32Array(size);
  const open = new Int32Array(size);
  let length = 0;
  for (let task = 0; task < size; task++) {
    open[task] = predecessorStart[task + 1] - predecessorStart[task];
    if (open[task] === 0) order[length++] = task;
  }
  for (let at = 0; at < length; at++) {
    const task = order[at];
    for (let i = successorStart[task]; i < successorStart[task + 1]; i++) {
      if (--open[successor[i]] === 0) order[length++] = successor[i];
    }
  }
  return order.subarray(0, length);
}

/** The start of each row, from the row lengths in `count[0 .. size)`; the last entry is the total. */
function starts(count: Int32Array): Int32Array {
  const start = new Int32Array(count.length);
  for (let i = 1; i < count.length; i++) start[i] = start[i - 1] + count[i - 1];
  return start;
}

function checkTask(task: number, size: number, what: string): void {
  if (!Number.isInteger(task) || task < 0 || task >= size) {
    throw new InvalidInput(`${what} ${task} does not exist; tasks are numbered from 0 to ${size - 1}`);
  }
}

function cycleError(dag: Dag): InvalidInput {
  const cycle = findCycle(dag) ?? [];
  const shown = cycle.length > 10 ? [...cycle.slice(0, 10), '…'] : cycle;
  return new InvalidInput(`tasks form a cycle of ${cycle.length}: ${[...shown, cycle[0]].join(' -> ')}`);
}
