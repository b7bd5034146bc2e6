/** The arrows of a graph: thin ones in one stroke, those that matter now over them. */
import type { Ink } from './ink.ts';
import type { Layout } from './layout.ts';
import type { Pen, Scene } from './scene.ts';
import type { Box } from './view.ts';

const RADIUS = 6;

/** Draws the arrows that cross the viewport; `detail` adds rounded corners and arrowheads. */
export function drawEdges(
  context: Pen,
  { graph, layout, current, marked, path }: Scene,
  { zoom, seen, detail }: { readonly zoom: number; readonly seen: Box; readonly detail: boolean },
  ink: Ink,
): void {
  const round = detail ? RADIUS : 0;
  const lit: number[] = [];
  context.beginPath();
  layout.edges.forEach((points, i) => {
    if (points.length < 4 || !crosses(points, seen)) return;
    const [from, to] = graph.edges[i];
    const strong = marked
      ? marked.has(from) && marked.has(to)
      : from === current || to === current || (path.has(from) && path.has(to));
    if (strong) lit.push(i);
    else trace(context, points, round);
  });
  context.lineWidth = Math.max(1, 1 / zoom);
  context.strokeStyle = ink.strong;
  context.globalAlpha = marked ? 0.25 : 0.6;
  context.stroke();
  context.globalAlpha = 1;
  if (lit.length > 0) {
    context.beginPath();
    for (const i of lit) trace(context, layout.edges[i], round);
    context.lineWidth = Math.max(2, 2 / zoom);
    context.strokeStyle = current >= 0 || marked ? ink.focus : ink.text;
    context.stroke();
  }
  if (detail) drawHeads(context, layout, seen, ink);
}

function drawHeads(context: Pen, { edges }: Layout, seen: Box, ink: Ink): void {
  context.beginPath();
  for (const points of edges) {
    const [x, y] = [points[points.length - 2], points[points.length - 1]];
    if (points.length < 4 || x < seen.x || y < seen.y || x > seen.x + seen.width || y > seen.y + seen.height)
      continue;
    context.moveTo(x, y);
    context.lineTo(x - 6, y - 3.5);
    context.lineTo(x - 6, y + 3.5);
  }
  context.fillStyle = ink.strong;
  context.fill();
}

function crosses(points: Float32Array, seen: Box) {
  let [left, right, top, bottom] = [points[0], points[0], points[1], points[1]];
  for (let i = 2; i < points.length; i += 2) {
    left = Math.min(left, points[i]);
    right = Math.max(right, points[i]);
    top = Math.min(top, points[i + 1]);
    bottom = Math.max(bottom, points[i + 1]);
  }
  return left < seen.x + seen.width && right > seen.x && top < seen.y + seen.height && bottom > seen.y;
}

function trace(context: Pen, points: Float32Array, radius: number): void {
  const last = points.length - 2;
  context.moveTo(points[0], points[1]);
  for (let i = 2; i < last; i += 2) {
    if (radius === 0) context.lineTo(points[i], points[i + 1]);
    else context.arcTo(points[i], points[i + 1], points[i + 2], points[i + 3], radius);
  }
  context.lineTo(points[last], points[last + 1]);
}
