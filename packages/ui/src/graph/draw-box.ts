/** The boxes of a graph: in full when near, as patches of colour when far. */
import { lookOf } from '../model/state.ts';
import type { Family } from '../theme/palette.ts';
import { cutToWidth, drawIcon, drawParts, drawType } from './draw-marks.ts';
import type { Ink } from './ink.ts';
import { BOX } from './layout.ts';
import type { Pen, Scene } from './scene.ts';

const TEXT_FROM = 0.42;

/** From afar a box is a patch in its state's colour; one fill per colour. */
export function drawFarBoxes(
  context: Pen,
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

/** Draws one box with all its text. */
export function drawBox(
  context: Pen,
  { layout, contentOf, graph, current, hovered, marked, found, path }: Scene,
  box: number,
  zoom: number,
  ink: Ink,
): void {
  const { title, state, line, type, parts, plain = false } = contentOf(box);
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
  if (!plain) {
    context.beginPath();
    context.roundRect(x, y, 4, BOX.height, [4, 0, 0, 4]);
    context.fillStyle = colour.fill;
    context.fill();
    drawIcon(context, icon, x + 11, y + 7.5, colour.text);
  }
  if (zoom >= TEXT_FROM) {
    const faint = family === 'neutral' && !plain;
    context.fillStyle = faint ? ink.dim : ink.text;
    context.font = `500 13px ${ink.sans}`;
    context.fillText(cutToWidth(context, title, BOX.width - 60, 'title'), x + 32, y + 20);
    context.fillStyle = ink.dim;
    context.font = `11.5px ${ink.sans}`;
    context.fillText(cutToWidth(context, line, BOX.width - 40, 'line'), x + 32, y + 36);
    drawType(context, type, plain ? x + 10 : x + BOX.width - 22, y + 7.5, ink);
  }
  if (parts) drawParts(context, parts, x + 4, y + BOX.height - 4, BOX.width - 8, ink);
  context.globalAlpha = 1;
}

/** Two edges behind a box mark a stack of many. */
function drawStack(context: Pen, x: number, y: number, ink: Ink): void {
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
  context: Pen,
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
