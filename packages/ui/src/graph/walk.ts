/** Walking a graph by arrow keys: right to a successor, left to a predecessor, up and down to a neighbour. */
import type { Graph } from '../model/graph.ts';
import type { Layout } from './layout.ts';

/** The keys that walk. */
export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** Arrows by box, both ways: made once a graph. */
export interface Ways {
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** The arrows of a graph by box. */
export function waysOf({ nodes, edges }: Graph): Ways {
  const before: number[][] = nodes.map(() => []);
  const after: number[][] = nodes.map(() => []);
  for (const [from, to] of edges) {
    after[from].push(to);
    before[to].push(from);
  }
  return { before, after };
}

/** The box that a key leads to; the same one where there is none. */
export function walk(ways: Ways, { x, y }: Layout, from: number, direction: Direction): number {
  const nearest = (boxes: Iterable<number>, distance: (box: number) => number) => {
    let [best, least] = [from, Number.POSITIVE_INFINITY];
    for (const box of boxes) {
      const far = distance(box);
      if (far < least) [best, least] = [box, far];
    }
    return best;
  };
  const level = (box: number) => Math.abs(y[box] - y[from]);
  // A box in another column is reached only after the last of this column.
  const beside = (sign: number) => (box: number) => {
    const down = (y[box] - y[from]) * sign;
    return box === from || down < 0 || (down === 0 && box < from === sign > 0)
      ? Number.POSITIVE_INFINITY
      : down + Math.abs(x[box] - x[from]) * 4;
  };
  switch (direction) {
    case 'right':
      return nearest(ways.after[from], level);
    case 'left':
      return nearest(ways.before[from], level);
    case 'down':
      return nearest(x.keys(), beside(1));
    case 'up':
      return nearest(x.keys(), beside(-1));
    case 'first':
      return nearest(x.keys(), (box) => x[box] * 1e6 + y[box]);
    case 'last':
      return nearest(x.keys(), (box) => -(x[box] * 1e6 + y[box]));
  }
}

/** The box at a point of the plane, or -1. */
export function boxAt(
  { x, y }: Layout,
  point: { readonly x: number; readonly y: number },
  size: { readonly width: number; readonly height: number },
): number {
  return x.findIndex(
    (left, i) =>
      point.x >= left && point.x <= left + size.width && point.y >= y[i] && point.y <= y[i] + size.height,
  );
}

/** The boxes that a frame on the plane touches. */
export function boxesIn(
  { x, y }: Layout,
  frame: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  size: { readonly width: number; readonly height: number },
): number[] {
  return [...x.keys()].filter(
    (i) =>
      x[i] <= frame.x + frame.width &&
      x[i] + size.width >= frame.x &&
      y[i] <= frame.y + frame.height &&
      y[i] + size.height >= frame.y,
  );
}

/** The arrow nearest to a point of the plane, if one is no further than `reach`; else -1. */
export function edgeAt(
  { edges }: Layout,
  { x, y }: { readonly x: number; readonly y: number },
  reach: number,
): number {
  let [found, least] = [-1, reach];
  edges.forEach((points, edge) => {
    for (let k = 0; k + 3 < points.length; k += 2) {
      const [ax, ay, bx, by] = points.subarray(k, k + 4);
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const along =
        length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
      const away = Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
      if (away < least) [found, least] = [edge, away];
    }
  });
  return found;
}
