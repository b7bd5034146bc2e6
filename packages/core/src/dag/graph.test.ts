import { casesOf, notUnderstood, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { InvalidInput } from '../errors.ts';
import {
  buildDag,
  findCycle,
  layers,
  predecessors,
  selectTasks,
  successors,
  topologicalOrder,
} from './graph.ts';

type Edge = [from: number, to: number];

/** Any directed graph without self edges, so often with a cycle and with edges given twice. */
const anyGraph = fc.integer({ min: 2, max: 9 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    edges: fc.array(
      fc
        .tuple(fc.nat(size - 1), fc.nat(size - 1))
        .filter(([from, to]) => from !== to)
        .map(([from, to]): Edge => [from, to]),
      { maxLength: 20 },
    ),
  }),
);

/** Any graph, and its edges once more: each twice and in another order. */
const shuffledGraph = anyGraph.chain(({ size, edges }) =>
  fc
    .shuffledSubarray([...edges, ...edges], { minLength: 2 * edges.length })
    .map((shuffled) => ({ size, edges, shuffled })),
);

/** A graph without cycles whose numbering says nothing about its order. */
const acyclicGraph = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc
    .record({
      label: fc.shuffledSubarray(
        Array.from({ length: size }, (_, i) => i),
        { minLength: size },
      ),
      pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 }),
    })
    .map(({ label, pairs }) => ({
      size,
      edges: pairs
        .filter(([a, b]) => a !== b)
        .map(([a, b]): Edge => [label[Math.min(a, b)], label[Math.max(a, b)]]),
    })),
);

/** Upstream names nodes from 1; shift them to indexes. */
const indexes = (edges: number[][]) => edges.map(([from, to]): Edge => [from - 1, to - 1]);
const names = (tasks: Iterable<number>) => Array.from(tasks, (task) => task + 1);

function reach(edges: Edge[], size: number): boolean[][] {
  const reaches = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [from, to] of edges) reaches[from][to] = true;
  for (let k = 0; k < size; k++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
    }
  }
  return reaches;
}

describe('DolphinScheduler DAG cases', () => {
  interface Input {
    readonly nodes?: number;
    readonly edges?: number[][];
    readonly addEdge?: number[];
    readonly createMissing?: boolean;
    readonly ask?: string;
  }

  /** The graph of a case after the edge it asks for, if that is accepted: a refused one leaves the graph as it was. */
  function graphOf({ edges = [], addEdge, createMissing = false, nodes }: Input) {
    const size = nodes ?? Math.max(0, ...edges.flat());
    const graph = buildDag(size, indexes(edges));
    if (!addEdge) return { graph, accepted: undefined };
    try {
      const grown = buildDag(createMissing ? Math.max(size, ...addEdge) : size, indexes([...edges, addEdge]));
      return findCycle(grown) ? { graph, accepted: false } : { graph: grown, accepted: true };
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidInput);
      return { graph, accepted: false };
    }
  }

  /** `successors of 1`, `indegree of 1,2`, `first successor of 2`, `topologicalSort`, … */
  function answer(graph: ReturnType<typeof buildDag>, ask: string): unknown {
    const all = Array.from({ length: graph.size }, (_, i) => i);
    const [, what, of] = /^(.*?)(?: (?:of|from) (?:node )?([\d, ]+))?$/.exec(ask) ?? [];
    const asked = of?.split(',').map((text) => Number(text) - 1) ?? [];
    const each = (value: (task: number) => unknown) =>
      asked.length === 1 ? value(asked[0]) : asked.map(value);
    switch (what) {
      case 'topologicalSort':
        return names(topologicalOrder(graph));
      case 'beginNodes':
        return names(all.filter((i) => predecessors(graph, i).length === 0));
      case 'endNodes':
        return names(all.filter((i) => successors(graph, i).length === 0));
      case 'indegree':
        return each((i) => predecessors(graph, i).length);
      case 'outdegree':
        return each((i) => successors(graph, i).length);
      case 'successors':
      case 'subsequent nodes':
        return each((i) => names(successors(graph, i)));
      case 'predecessors':
      case 'previous nodes':
        return each((i) => names(predecessors(graph, i)));
      case 'first successor':
        return each((i) => successors(graph, i)[0] + 1);
      case 'first predecessor':
        return each((i) => predecessors(graph, i)[0] + 1);
      case 'hasCycle':
      case 'has cycle':
        return findCycle(graph) !== undefined;
      case 'nodesCount':
      case 'node count':
        return graph.size;
      case 'edgesCount':
      case 'edge count':
        return graph.edges;
      default:
        throw notUnderstood(ask);
    }
  }

  it.each(casesOf('dag'))('answers $id', ({ input, expect: expected }) => {
    const words = wordsOf<Input>(input, ['nodes', 'edges', 'addEdge', 'createMissing', 'ask']);
    const { graph, accepted } = graphOf(words);
    if (words.ask !== undefined) expect(answer(graph, words.ask)).toEqual(expected);
    else expect({ accepted }).toEqual(wordsOf(expected, ['accepted']));
  });
});

describe('buildDag', () => {
  it('gives the same graph whatever the order, the form and the repetition of the edges', () => {
    fc.assert(
      fc.property(shuffledGraph, ({ size, edges, shuffled }) => {
        const dag = buildDag(size, edges);
        expect(buildDag(size, shuffled)).toEqual(dag);
        expect(buildDag(size, Int32Array.from(shuffled.flat()))).toEqual(dag);
      }),
    );
  });

  it('holds exactly the given edges, in both directions, ascending', () => {
    fc.assert(
      fc.property(anyGraph, ({ size, edges }) => {
        const dag = buildDag(size, edges);
        const given = new Set(edges.map(([from, to]) => from * 100 + to));
        expect(dag.edges).toBe(given.size);
        for (let i = 0; i < size; i++) {
          const all = Array.from({ length: size }, (_, j) => j);
          expect([...successors(dag, i)]).toEqual(all.filter((j) => given.has(i * 100 + j)));
          expect([...predecessors(dag, i)]).toEqual(all.filter((j) => given.has(j * 100 + i)));
        }
      }),
    );
  });

  it.each([
    ['a self edge', 3, [[1, 1]], 'task 1 has an edge to itself'],
    ['an edge out of range', 3, [[0, 3]], 'edge to task 3 does not exist; tasks are numbered from 0 to 2'],
    ['a negative task', 3, [[-1, 0]], 'edge from task -1 does not exist'],
    ['a fraction', 3, [[0.5, 1]], 'edge from task 0.5 does not exist'],
    ['a bad size', -1, [], '-1 tasks; give a whole number from 0'],
    ['flat edges of odd length', 3, Int32Array.of(0, 1, 2), 'odd length'],
  ] as [string, number, Edge[] | Int32Array, string][])('refuses %s', (_, size, edges, message) => {
    expect(() => buildDag(size, edges)).toThrow(InvalidInput);
    expect(() => buildDag(size, edges)).toThrow(message);
  });

  it('accepts a graph without tasks', () => {
    const dag = buildDag(0, []);
    expect(dag.edges).toBe(0);
    expect([...topologicalOrder(dag)]).toEqual([]);
    expect(layers(dag)).toEqual([]);
  });
});

describe('topologicalOrder and layers', () => {
  it('layers the published example', () => {
    const { nodes, edges, layers: expected } = vectors.kahn;
    expect(layers(buildDag(nodes.length, indexes(edges))).map(names)).toEqual(expected);
  });

  it('refuses a cycle and names it', () => {
    const dag = buildDag(5, indexes([...vectors.kahn.edges, [5, 1]]));
    expect(() => topologicalOrder(dag)).toThrow(InvalidInput);
    expect(() => topologicalOrder(dag)).toThrow('tasks form a cycle of 4: 0 -> 3 -> 2 -> 4 -> 0');
    expect(() => layers(dag)).toThrow('cycle');
  });

  it('names at most ten tasks of a long cycle', () => {
    const dag = buildDag(
      100,
      Array.from({ length: 100 }, (_, i): Edge => [i, (i + 1) % 100]),
    );
    expect(() => topologicalOrder(dag)).toThrow(
      'tasks form a cycle of 100: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> … -> 0',
    );
  });

  it('puts each task once, after all its predecessors', () => {
    fc.assert(
      fc.property(acyclicGraph, ({ size, edges }) => {
        const order = [...topologicalOrder(buildDag(size, edges))];
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
        for (const [from, to] of edges) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
      }),
    );
  });

  it('layers by the longest path', () => {
    fc.assert(
      fc.property(acyclicGraph, ({ size, edges }) => {
        const longest = (task: number): number =>
          edges.reduce((deep, [from, to]) => (to === task ? Math.max(deep, longest(from) + 1) : deep), 0);
        const expected: number[][] = [];
        for (let task = 0; task < size; task++) {
          const depth = longest(task);
          expected[depth] = [...(expected[depth] ?? []), task];
        }
        expect(layers(buildDag(size, edges)).map((row) => [...row])).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe('findCycle', () => {
  it('finds a cycle exactly where a task reaches itself, and what it returns is one', () => {
    fc.assert(
      fc.property(anyGraph, ({ size, edges }) => {
        const dag = buildDag(size, edges);
        const cycle = findCycle(dag);
        const reaches = reach(edges, size);
        expect(cycle !== undefined).toBe(reaches.some((row, i) => row[i]));
        if (!cycle) return;
        expect(new Set(cycle).size).toBe(cycle.length);
        expect(cycle[0]).toBe(Math.min(...cycle));
        cycle.forEach((task, i) => {
          expect([...successors(dag, task)]).toContain(cycle[(i + 1) % cycle.length]);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('follows a chain of 100,000 tasks and back without exhausting the stack', () => {
    const size = 100_000;
    const edges = new Int32Array(2 * size);
    for (let i = 0; i < size; i++) edges.set([i, (i + 1) % size], 2 * i);
    expect(findCycle(buildDag(size, edges))?.length).toBe(size);
    expect(findCycle(buildDag(size, edges.subarray(2)))).toBeUndefined();
  });
});

describe('selectTasks', () => {
  it('covers the picked tasks and all that they reach, or all that reaches them', () => {
    fc.assert(
      fc.property(anyGraph, fc.array(fc.nat(), { maxLength: 3 }), ({ size, edges }, picks) => {
        const picked = picks.map((pick) => pick % size);
        const dag = buildDag(size, edges);
        const reaches = reach(edges, size);
        const mask = (covered: (task: number) => boolean) =>
          Uint8Array.from({ length: size }, (_, task) => (covered(task) ? 1 : 0));
        expect(selectTasks(dag, 'all', picked)).toEqual(mask(() => true));
        expect(selectTasks(dag, 'only', picked)).toEqual(mask((task) => picked.includes(task)));
        expect(selectTasks(dag, 'from', picked)).toEqual(
          mask((task) => picked.some((pick) => pick === task || reaches[pick][task])),
        );
        expect(selectTasks(dag, 'to', picked)).toEqual(
          mask((task) => picked.some((pick) => pick === task || reaches[task][pick])),
        );
      }),
    );
  });

  it('refuses a task that is not there', () => {
    expect(() => selectTasks(buildDag(2, []), 'from', [2])).toThrow('picked task 2 does not exist');
  });
});
