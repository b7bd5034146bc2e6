/**
 * The positions of a graph's boxes. Small graphs get a careful layout, large ones a quick one, and those too
 * large for any layout are placed by depth. Pure: `lay-out.ts` runs the library in its worker.
 */
import { depthsOf, type Graph } from '../model/graph.ts';

/** Size of a box, in pixels at zoom 1. */
export const BOX = { width: 180, height: 46 } as const;

/** Boxes by their upper left corner, arrows as lists of points `x, y, x, y, …`. */
export interface Layout {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly edges: readonly Float32Array[];
  readonly width: number;
  readonly height: number;
}

/** Graphs up to this size are laid out with the defaults of the library. */
export const CAREFUL_UP_TO = 300;
/** Beyond this size the library would take too long. */
export const BY_DEPTH_ABOVE = 5_000;

const GAP_X = 44;
const GAP_Y = 16;

/** Options of the library by the size of the graph. */
export function layoutOptions(size: number): Record<string, string> {
  const always = {
    'elk.algorithm': 'layered',
    'elk.direction': 'RIGHT',
    'elk.layered.spacing.nodeNodeBetweenLayers': String(GAP_X),
    'elk.spacing.nodeNode': String(GAP_Y),
    'elk.spacing.edgeNode': '12',
    'elk.spacing.edgeEdge': '8',
    'elk.spacing.componentComponent': '32',
    'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  };
  if (size <= CAREFUL_UP_TO) return { ...always, 'elk.edgeRouting': 'ORTHOGONAL' };
  return {
    ...always,
    'elk.edgeRouting': 'POLYLINE',
    'elk.layered.thoroughness': '1',
    'elk.layered.layering.strategy': 'LONGEST_PATH_SOURCE',
    'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
    'elk.layered.nodePlacement.strategy': 'SIMPLE',
    'elk.layered.considerModelOrder.strategy': 'NONE',
  };
}

/** The graph as the library wants it. */
export function toElk({ nodes, edges }: Graph) {
  return {
    id: 'run',
    layoutOptions: layoutOptions(nodes.length),
    children: nodes.map((_, i) => ({ id: String(i), ...BOX })),
    edges: edges.map(([from, to], i) => ({ id: `e${i}`, sources: [String(from)], targets: [String(to)] })),
  };
}

interface ElkPoint {
  readonly x: number;
  readonly y: number;
}

/** The used part of the library's answer. */
export interface ElkAnswer {
  readonly width?: number;
  readonly height?: number;
  readonly children?: readonly { readonly id: string; readonly x?: number; readonly y?: number }[];
  readonly edges?: readonly {
    readonly id: string;
    readonly sections?: readonly {
      readonly startPoint: ElkPoint;
      readonly bendPoints?: readonly ElkPoint[];
      readonly endPoint: ElkPoint;
    }[];
  }[];
}

/** The library's answer in typed arrays: small to keep, quick to draw. */
export function fromElk(answer: ElkAnswer): Layout {
  const children = answer.children ?? [];
  return {
    x: Float32Array.from(children, ({ x }) => x ?? 0),
    y: Float32Array.from(children, ({ y }) => y ?? 0),
    edges: (answer.edges ?? []).map(({ sections = [] }) =>
      Float32Array.from(
        sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
          [startPoint, ...bendPoints, endPoint].flatMap(({ x, y }) => [x, y]),
        ),
      ),
    ),
    width: answer.width ?? 0,
    height: answer.height ?? 0,
  };
}

/** A column a depth, each ordered by where the needs of its boxes stand, and centred: always ready at once. */
export function layoutByDepth({ nodes, edges }: Graph): Layout {
  const before: number[][] = nodes.map(() => []);
  const after: number[][] = nodes.map(() => []);
  for (const [from, to] of edges) {
    after[from].push(to);
    before[to].push(from);
  }
  const depth = depthsOf({ before, after });
  const columns: number[][] = [];
  nodes.forEach((_, box) => {
    columns[depth[box]] ??= [];
    columns[depth[box]].push(box);
  });
  const highest = columns.reduce((most, boxes) => Math.max(most, boxes.length), 0);
  const x = new Float32Array(nodes.length);
  const y = new Float32Array(nodes.length);
  const mean = (boxes: readonly number[]) =>
    boxes.reduce((sum, box) => sum + y[box], 0) / Math.max(boxes.length, 1);
  columns.forEach((boxes, column) => {
    const places = new Map(boxes.map((box) => [box, mean(before[box])]));
    boxes.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0) || a - b);
    boxes.forEach((box, row) => {
      x[box] = column * (BOX.width + GAP_X);
      y[box] = (row + (highest - boxes.length) / 2) * (BOX.height + GAP_Y);
    });
  });
  return {
    x,
    y,
    edges: edges.map(([from, to]) =>
      Float32Array.of(x[from] + BOX.width, y[from] + BOX.height / 2, x[to], y[to] + BOX.height / 2),
    ),
    width: columns.length * (BOX.width + GAP_X) - GAP_X,
    height: highest * (BOX.height + GAP_Y) - GAP_Y,
  };
}
