/** The planner and the progress engine: cost by tasks plus edges, for graphs of any shape. */
import { buildDag, findCycle, Progress, topologicalOrder } from '@orrery/core/dag';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'plan a workflow (build, cycle check, order, counters) and run it through the counters';

const SIZES = bySize([1_000, 10_000, 100_000], [100]);
const LARGEST = SIZES[SIZES.length - 1];
/** Rounds of what takes long, of what does not, and of what takes microseconds. */
const [FEW, SOME, MANY] = bySize([11, 30, 2_000], [1, 1, 1]);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const edges = randomEdges(size, 3);
    const took = median(size < 100_000 ? SOME : FEW, () => plan(size, edges));
    rows.push({
      what: `plan ${count(size)} tasks, ${count(edges.length / 2)} random edges`,
      value: took,
      unit: 'ms',
      note: `${nanos(took, size + edges.length / 2)} ns a task or edge`,
    });
  }

  const size = LARGEST;
  const edges = randomEdges(size, 3);
  const dag = buildDag(size, edges);
  rows.push({
    what: 'run it, every task succeeding',
    value: median(FEW, () => drain(new Progress(dag), 0)),
    unit: 'ms',
    note: `start and finish of ${count(size)} tasks`,
  });
  rows.push({
    what: 'run it, one task in 1,000 failing',
    value: median(FEW, () => drain(new Progress(dag), 1_000)),
    unit: 'ms',
  });
  const chain = chainEdges(size);
  rows.push({
    what: `plan a chain of ${count(size)} tasks`,
    value: median(FEW, () => plan(size, chain)),
    unit: 'ms',
  });

  for (const [wide, deep] of [
    [2, 20],
    [10, 6],
  ]) {
    const tasks = wide * deep;
    const lattice = latticeEdges(wide, deep);
    const line = chainEdges(tasks);
    rows.push({
      what: `plan a lattice of ${deep} layers of ${wide}`,
      value: 1_000 * median(MANY, () => plan(tasks, lattice)),
      unit: 'µs',
      note: `${lattice.length / 2} edges, ${count(wide ** deep)} paths`,
    });
    rows.push({
      what: `plan a chain of as many tasks (${tasks})`,
      value: 1_000 * median(MANY, () => plan(tasks, line)),
      unit: 'µs',
      note: `${line.length / 2} edges`,
    });
  }
  return rows;
}

function plan(size: number, edges: Int32Array): void {
  const dag = buildDag(size, edges);
  if (findCycle(dag)) throw new Error('the graph has a cycle');
  topologicalOrder(dag);
  new Progress(dag).start();
}

/** Finishes ready tasks until none is left; every `failEvery`-th task fails, 0 for none. */
function drain(progress: Progress, failEvery: number): void {
  const queue = progress.start().ready;
  for (let i = 0; i < queue.length; i++) {
    const fails = failEvery > 0 && i % failEvery === failEvery - 1;
    for (const task of progress.finish(queue[i], fails ? 'failed' : 'succeeded').ready) queue.push(task);
  }
  if (progress.remaining > 0) throw new Error(`${progress.remaining} tasks never ended`);
}

/** `each` edges to every task from random earlier ones, always the same for the same size. */
function randomEdges(size: number, each: number): Int32Array {
  const edges = new Int32Array(2 * each * (size - 1));
  let seed = 1;
  for (let task = 1, at = 0; task < size; task++) {
    for (let i = 0; i < each; i++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      edges[at++] = Math.floor((seed / 2 ** 32) * task);
      edges[at++] = task;
    }
  }
  return edges;
}

function chainEdges(size: number): Int32Array {
  const edges = new Int32Array(2 * (size - 1));
  for (let i = 1; i < size; i++) edges.set([i - 1, i], 2 * i - 2);
  return edges;
}

/** Layers in which every task follows every task of the layer before. */
function latticeEdges(wide: number, deep: number): Int32Array {
  const edges: number[] = [];
  for (let layer = 1; layer < deep; layer++) {
    for (let from = 0; from < wide; from++) {
      for (let to = 0; to < wide; to++) edges.push((layer - 1) * wide + from, layer * wide + to);
    }
  }
  return Int32Array.from(edges);
}

function median(times: number, work: () => void): number {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const from = performance.now();
    work();
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)];
}

function nanos(ms: number, things: number): string {
  return ((ms * 1e6) / things).toFixed(0);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
