/**
 * Draws a graph on a canvas: arrows, then boxes, in as much detail as the zoom can show. It reads only what it is
 * given and keeps nothing but measured texts, so a frame costs what is on screen.
 */
import type { Graph } from '../model/graph.ts';
import { lookOf, type StateIcon } from '../model/state.ts';
import type { Family } from '../theme/palette.ts';
import type { Ink } from './ink.ts';
import { BOX, type Layout } from './layout.ts';
import { typeIcon } from './type-icons.ts';
import { type Size, type View, visible } from './view.ts';

/** What a box says. */
export interface BoxContent {
  readonly title: string;
  readonly state: string;
  /** Below the title: time, attempts, or why it waits. */
  readonly line: string;
  readonly type: string;
  /** Shares of shards, or of the tasks in a fold, by state; null for a plain task. */
  readonly parts: readonly (readonly [state: string, count: number])[] | null;
}

/** Everything a frame shows. Sets hold boxes by number. */
export interface Scene {
  readonly graph: Graph;
  readonly layout: Layout;
  readonly contentOf: (node: number) => BoxContent;
  readonly current: number;
  readonly hovered: number;
  /** What is marked, such as what would run again; everything else steps back. */
  readonly marked: ReadonlySet<number> | null;
  /** What was looked for; everything else steps back. */
  readonly found: ReadonlySet<number> | null;
  /** Boxes of the critical path. */
  readonly path: ReadonlySet<number>;
}

const TEXT_FROM = 0.42;
const ROUND_FROM = 0.3;
const RADIUS = 6;

/** Draws one frame. */
export function drawGraph(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  screen: Size,
  ink: Ink,
): void {
  const { layout } = scene;
  const seen = visible(view, screen);
  const inView = (i: number) =>
    layout.x[i] < seen.x + seen.width &&
    layout.x[i] + BOX.width > seen.x &&
    layout.y[i] < seen.y + seen.height &&
    layout.y[i] + BOX.height > seen.y;
  const boxes: number[] = [];
  for (let i = 0; i < layout.x.length; i++) if (inView(i)) boxes.push(i);
  context.translate(view.x, view.y);
  context.scale(view.zoom, view.zoom);
  drawEdges(context, scene, view.zoom, seen, ink);
  if (view.zoom < ROUND_FROM) drawFarBoxes(context, scene, boxes, ink);
  else for (const box of boxes) drawBox(context, scene, box, view.zoom, ink);
}

function drawEdges(
  context: CanvasRenderingContext2D,
  { graph, layout, current, marked, path }: Scene,
  zoom: number,
  seen: { x: number; y: number; width: number; height: number },
  ink: Ink,
): void {
  const round = zoom >= ROUND_FROM ? RADIUS : 0;
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
  if (zoom >= ROUND_FROM) drawHeads(context, layout, seen, ink);
}

function drawHeads(
  context: CanvasRenderingContext2D,
  { edges }: Layout,
  seen: { x: number; y: number; width: number; height: number },
  ink: Ink,
): void {
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

function crosses(points: Float32Array, seen: { x: number; y: number; width: number; height: number }) {
  let [left, right, top, bottom] = [points[0], points[0], points[1], points[1]];
  for (let i = 2; i < points.length; i += 2) {
    left = Math.min(left, points[i]);
    right = Math.max(right, points[i]);
    top = Math.min(top, points[i + 1]);
    bottom = Math.max(bottom, points[i + 1]);
  }
  return left < seen.x + seen.width && right > seen.x && top < seen.y + seen.height && bottom > seen.y;
}

function trace(context: CanvasRenderingContext2D, points: Float32Array, radius: number): void {
  const last = points.length - 2;
  context.moveTo(points[0], points[1]);
  for (let i = 2; i < last; i += 2) {
    if (radius === 0) context.lineTo(points[i], points[i + 1]);
    else context.arcTo(points[i], points[i + 1], points[i + 2], points[i + 3], radius);
  }
  context.lineTo(points[last], points[last + 1]);
}

/** Far away a box is a patch of its state's colour; one fill a colour. */
function drawFarBoxes(
  context: CanvasRenderingContext2D,
  { layout, contentOf, current, marked, found, path }: Scene,
  boxes: readonly number[],
  ink: Ink,
): void {
  const byFamily = Map.groupBy(boxes, (box) => lookOf(contentOf(box).state).family);
  const fill = (some: readonly number[], family: Family, alpha: number) => {
    context.beginPath();
    for (const box of some) context.rect(layout.x[box], layout.y[box], BOX.width, BOX.height);
    context.fillStyle = ink.states[family].fill;
    context.globalAlpha = alpha;
    context.fill();
  };
  const aside = (box: number) => (marked !== null && !marked.has(box)) || (found !== null && !found.has(box));
  for (const [family, some] of byFamily) {
    const [front, back] = [some.filter((box) => !aside(box)), some.filter(aside)];
    fill(front, family, family === 'neutral' ? 0.45 : 0.9);
    if (back.length > 0) fill(back, family, 0.2);
  }
  context.globalAlpha = 1;
  context.strokeStyle = ink.text;
  context.lineWidth = 8;
  for (const box of boxes) {
    if (!path.has(box)) continue;
    context.strokeRect(layout.x[box], layout.y[box], BOX.width, BOX.height);
  }
  if (current < 0) return;
  context.strokeStyle = ink.focus;
  context.lineWidth = 14;
  context.strokeRect(layout.x[current] - 7, layout.y[current] - 7, BOX.width + 14, BOX.height + 14);
}

function drawBox(
  context: CanvasRenderingContext2D,
  { layout, contentOf, graph, current, hovered, marked, found, path }: Scene,
  box: number,
  zoom: number,
  ink: Ink,
): void {
  const { title, state, line, type, parts } = contentOf(box);
  const { family, icon } = lookOf(state);
  const colour = ink.states[family];
  const [x, y] = [layout.x[box], layout.y[box]];
  const aside =
    (marked !== null && !marked.has(box)) || (found !== null && !found.has(box)) || state === 'excluded';
  context.globalAlpha = aside ? 0.4 : 1;
  if (graph.nodes[box].fold) drawStack(context, x, y, ink);
  context.beginPath();
  context.roundRect(x, y, BOX.width, BOX.height, 4);
  context.fillStyle = box === current ? ink.chosen : ink.ground;
  context.fill();
  if (family === 'failed' || marked?.has(box)) {
    context.fillStyle = marked?.has(box) ? ink.focus : colour.fill;
    context.globalAlpha = aside ? 0.04 : 0.1;
    context.fill();
    context.globalAlpha = aside ? 0.4 : 1;
  }
  outline(context, ink, {
    current: box === current,
    marked: marked?.has(box) ?? false,
    hovered: box === hovered,
    onPath: path.has(box),
    family,
    dashed: state === 'skipped' || state === 'excluded',
    zoom,
  });
  context.beginPath();
  context.roundRect(x, y, 4, BOX.height, [4, 0, 0, 4]);
  context.fillStyle = colour.fill;
  context.fill();
  drawIcon(context, icon, x + 11, y + 7.5, colour.text);
  if (zoom >= TEXT_FROM) {
    const faint = family === 'neutral';
    context.fillStyle = faint ? ink.dim : ink.text;
    context.font = `500 13px ${ink.sans}`;
    context.fillText(cutToWidth(context, title, BOX.width - 60, 'title'), x + 32, y + 20);
    context.fillStyle = ink.dim;
    context.font = `11.5px ${ink.sans}`;
    context.fillText(cutToWidth(context, line, BOX.width - 40, 'line'), x + 32, y + 36);
    drawType(context, type, x + BOX.width - 22, y + 7.5, ink);
  }
  if (parts) drawParts(context, parts, x + 4, y + BOX.height - 4, BOX.width - 8, ink);
  context.globalAlpha = 1;
}

/** Two edges behind a box say that it stands for many. */
function drawStack(context: CanvasRenderingContext2D, x: number, y: number, ink: Ink): void {
  context.lineWidth = 1;
  context.strokeStyle = ink.strong;
  context.fillStyle = ink.raised;
  for (const offset of [6, 3]) {
    context.beginPath();
    context.roundRect(x + offset, y + offset, BOX.width, BOX.height, 4);
    context.fill();
    context.stroke();
  }
}

function outline(
  context: CanvasRenderingContext2D,
  ink: Ink,
  box: {
    readonly current: boolean;
    readonly marked: boolean;
    readonly hovered: boolean;
    readonly onPath: boolean;
    readonly family: Family;
    readonly dashed: boolean;
    readonly zoom: number;
  },
): void {
  const strong = box.current || box.marked || box.onPath;
  context.lineWidth = Math.max(strong ? 2 : 1, (strong ? 1.5 : 0.75) / box.zoom);
  context.strokeStyle =
    box.current || box.marked
      ? ink.focus
      : box.onPath
        ? ink.text
        : box.hovered
          ? ink.strong
          : box.family === 'failed' || box.family === 'running'
            ? ink.states[box.family].fill
            : ink.line;
  if (box.dashed) context.setLineDash([4, 3]);
  context.stroke();
  if (box.dashed) context.setLineDash([]);
}

const iconPaths = new Map<string, Path2D>();

function pathOf(text: string): Path2D {
  const known = iconPaths.get(text);
  if (known) return known;
  const path = new Path2D(text);
  iconPaths.set(text, path);
  return path;
}

/** Draws the icon of a state, 16 pixels wide. */
export function drawIcon(
  context: CanvasRenderingContext2D,
  { lines, fill, dashed }: StateIcon,
  x: number,
  y: number,
  colour: string,
): void {
  context.save();
  context.translate(x, y);
  if (fill) {
    context.fillStyle = colour;
    context.fill(pathOf(fill));
  }
  if (lines) {
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.lineCap = 'round';
    if (dashed) context.setLineDash([2, 2.4]);
    context.stroke(pathOf(lines));
  }
  context.restore();
}

function drawType(context: CanvasRenderingContext2D, type: string, x: number, y: number, ink: Ink): void {
  const path = typeIcon(type);
  if (!path) {
    context.fillStyle = ink.dim;
    context.font = `600 10px ${ink.sans}`;
    context.fillText(type.slice(0, 2), x + 2, y + 11.5);
    return;
  }
  context.save();
  context.translate(x, y);
  context.scale(2 / 3, 2 / 3);
  context.strokeStyle = ink.dim;
  context.lineWidth = 1.8;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(path);
  context.restore();
}

/** A strip of shares: which part of the shards, or of a fold, is in which state. */
export function drawParts(
  context: CanvasRenderingContext2D,
  parts: readonly (readonly [string, number])[],
  x: number,
  y: number,
  width: number,
  ink: Ink,
): void {
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  let from = x;
  for (const [state, count] of parts) {
    const share = (count / total) * width;
    context.fillStyle = ink.states[lookOf(state).family].fill;
    context.fillRect(from, y, Math.max(share - 1, 1), 3);
    from += share;
  }
}

const cuts = new Map<string, string>();
const MOST_CUTS = 20_000;

/** Cuts a text in the middle to a width; measuring is slow, so what was cut once is kept. */
export function cutToWidth(
  context: CanvasRenderingContext2D,
  text: string,
  width: number,
  kind: string,
): string {
  const key = `${kind} ${width} ${text}`;
  const known = cuts.get(key);
  if (known !== undefined) return known;
  let cut = text;
  if (context.measureText(text).width > width) {
    let [least, most] = [1, text.length];
    while (least < most) {
      const kept = Math.ceil((least + most) / 2);
      if (context.measureText(cutAt(text, kept)).width > width) most = kept - 1;
      else least = kept;
    }
    cut = cutAt(text, least);
  }
  if (cuts.size >= MOST_CUTS) cuts.clear();
  cuts.set(key, cut);
  return cut;
}

const cutAt = (text: string, kept: number) =>
  `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
