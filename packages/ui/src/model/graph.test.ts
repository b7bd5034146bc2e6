import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthsOf, FOLD_ABOVE, type GraphTask, graphOf, linksOf, reach } from './graph.ts';

const task = (name: string, ...needs: string[]): GraphTask => ({ name, type: 'shell', needs });
const drawn = (tasks: GraphTask[], opened?: Set<string>) => graphOf(tasks, linksOf(tasks), opened);
const fan = (count: number) => [
  task('start'),
  ...Array.from({ length: count }, (_, i) => task(`part_${i}`, 'start')),
  task('end', ...Array.from({ length: count }, (_, i) => `part_${i}`)),
];

describe('the graph of a run', () => {
  it('has a box a task and an arrow a need', () => {
    const { nodes, edges } = drawn([task('a'), task('b', 'a'), task('c', 'a', 'b')]);
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(edges).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ]);
  });

  it('draws many alike siblings as one box, and each of them once the box is opened', () => {
    expect(drawn(fan(FOLD_ABOVE)).nodes).toHaveLength(FOLD_ABOVE + 2);
    const folded = drawn(fan(240));
    expect(folded.nodes.map(({ label }) => label)).toEqual(['start', '240 × part_n', 'end']);
    expect(folded.edges).toEqual([
      [0, 1],
      [1, 2],
    ]);
    const opened = drawn(fan(240), new Set([folded.nodes[1].id]));
    expect(opened.nodes).toHaveLength(242);
    expect(opened.nodes.slice(0, 2).map(({ from }) => from)).toEqual([null, folded.nodes[1].id]);
  });

  it('does not fold siblings of different types', () => {
    const tasks = fan(62).map((one, i) => ({ ...one, type: i % 2 === 0 ? 'shell' : 'sql' }));
    expect(drawn(tasks).nodes).toHaveLength(64);
  });

  it('draws a huge run by depth and type, without loops', () => {
    const tasks = Array.from({ length: 6_000 }, (_, i) => task(`t${i}`, ...(i < 100 ? [] : [`t${i - 100}`])));
    const { nodes, edges } = drawn(tasks);
    expect(nodes).toHaveLength(60);
    expect(edges).toHaveLength(59);
    for (const [from, to] of edges) expect(from).toBeLessThan(to);
  });

  it('names its structure: the same for the same tasks, another for any other', () => {
    const { hash } = drawn([task('a'), task('b', 'a')]);
    expect(drawn([task('a'), task('b', 'a')]).hash).toBe(hash);
    expect(drawn([task('a'), task('b')]).hash).not.toBe(hash);
    expect(drawn([task('a'), task('c', 'a')]).hash).not.toBe(hash);
  });

  it('keeps every need as an arrow or inside one box, whatever the graph', () => {
    const graphs = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 150 });
    fc.assert(
      fc.property(graphs, (picks) => {
        const tasks = picks.map((needs, i) =>
          task(`t${i}`, ...new Set(needs.flatMap((n) => (i === 0 ? [] : [`t${n % i}`])))),
        );
        const links = linksOf(tasks);
        const { nodes, edges, nodeOf } = graphOf(tasks, links);
        expect(nodes.flatMap((node) => node.tasks).sort((a, b) => a - b)).toEqual([...tasks.keys()]);
        const pairs = new Set(edges.map(([from, to]) => `${from} ${to}`));
        links.before.forEach((needs, i) => {
          for (const need of needs) {
            if (nodeOf[need] !== nodeOf[i]) expect(pairs).toContain(`${nodeOf[need]} ${nodeOf[i]}`);
          }
        });
      }),
    );
  });
});

describe('links', () => {
  it('lead on and back, and leave out names that no task has', () => {
    const links = linksOf([task('a', 'gone'), task('b', 'a'), task('c', 'b')]);
    expect([...reach(links.after, [0])]).toEqual([0, 1, 2]);
    expect([...reach(links.before, [1])]).toEqual([1, 0]);
    expect(links.before[0]).toEqual([]);
  });

  it('give each task the length of the longest way to it', () => {
    expect([...depthsOf(linksOf([task('a'), task('b', 'a'), task('c', 'a', 'b'), task('d')]))]).toEqual([
      0, 1, 2, 0,
    ]);
  });
});
