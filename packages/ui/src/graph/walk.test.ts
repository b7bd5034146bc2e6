import { describe, expect, it } from 'vitest';
import { graphOf, linksOf } from '../model/graph.ts';
import { BOX, fromElk, layoutByDepth, layoutOptions, toElk } from './layout.ts';
import { boxAt, boxesIn, walk, waysOf } from './walk.ts';

const tasks = [
  { name: 'a', type: 'shell', needs: [] },
  { name: 'b', type: 'shell', needs: ['a'] },
  { name: 'c', type: 'shell', needs: ['a'] },
  { name: 'd', type: 'shell', needs: ['b', 'c'] },
];
const graph = graphOf(tasks, linksOf(tasks));
const layout = layoutByDepth(graph);
const ways = waysOf(graph);
const [A, B, C, D] = [0, 1, 2, 3];

describe('walking a graph', () => {
  it('follows arrows to the right and to the left', () => {
    expect(walk(ways, layout, A, 'right')).toBe(B);
    expect(walk(ways, layout, C, 'right')).toBe(D);
    expect(walk(ways, layout, D, 'left')).toBe(B);
    expect(walk(ways, layout, A, 'left')).toBe(A);
  });

  it('goes up and down in a column, and stops at its ends when nothing is beyond', () => {
    expect(walk(ways, layout, B, 'down')).toBe(C);
    expect(walk(ways, layout, C, 'up')).toBe(B);
    expect(walk(ways, layout, C, 'down')).toBe(C);
  });

  it('jumps to the first and the last box', () => {
    expect(walk(ways, layout, C, 'first')).toBe(A);
    expect(walk(ways, layout, A, 'last')).toBe(D);
  });
});

describe('a layout by depth', () => {
  it('puts every box right of what it needs, and none on another', () => {
    for (const [from, to] of graph.edges) expect(layout.x[from] + BOX.width).toBeLessThan(layout.x[to]);
    const places = new Set(graph.nodes.map((_, i) => `${layout.x[i]} ${layout.y[i]}`));
    expect(places.size).toBe(graph.nodes.length);
  });

  it('finds the box under a point', () => {
    expect(boxAt(layout, { x: layout.x[D] + 1, y: layout.y[D] + 1 }, BOX)).toBe(D);
    expect(boxAt(layout, { x: -5, y: 0 }, BOX)).toBe(-1);
  });
});

describe('the library for layouts', () => {
  it('is asked for care when a graph is small and for speed when it is large', () => {
    expect(layoutOptions(300)['elk.edgeRouting']).toBe('ORTHOGONAL');
    expect(layoutOptions(301)['elk.layered.thoroughness']).toBe('1');
  });

  it('is given boxes and arrows by number, and its answer is read back', () => {
    const asked = toElk(graph);
    expect(asked.edges[0]).toEqual({ id: 'e0', sources: ['0'], targets: ['1'] });
    const read = fromElk({
      width: 300,
      height: 100,
      children: asked.children.map(({ id }, i) => ({ id, x: i * 10, y: i })),
      edges: [
        {
          id: 'e0',
          sections: [{ startPoint: { x: 1, y: 2 }, bendPoints: [{ x: 3, y: 4 }], endPoint: { x: 5, y: 6 } }],
        },
      ],
    });
    expect([...read.x]).toEqual([0, 10, 20, 30]);
    expect([...read.edges[0]]).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('a frame', () => {
  it('holds the boxes that it touches', () => {
    const [x, y] = [layout.x[A], layout.y[A]];
    expect(boxesIn(layout, { x, y, width: 1, height: 1 }, BOX)).toEqual([A]);
    expect(boxesIn(layout, { x: 0, y: 0, width: layout.width, height: layout.height }, BOX)).toEqual([
      A,
      B,
      C,
      D,
    ]);
    expect(boxesIn(layout, { x: -9, y: -9, width: 1, height: 1 }, BOX)).toEqual([]);
  });
});
