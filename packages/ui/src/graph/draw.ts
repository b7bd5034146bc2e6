/**
 * Draws a graph on a canvas: arrows, then boxes, with as much detail as the zoom can show. It reads only its
 * arguments, so a frame costs only the visible part.
 */
import { drawBox, drawFarBoxes } from './draw-box.ts';
import { drawEdges } from './draw-edges.ts';
import type { Ink } from './ink.ts';
import type { KeptPicture } from './kept-picture.ts';

import { BOX } from './layout.ts';
import type { Pen, Scene } from './scene.ts';
import { type Size, type View, visible } from './view.ts';

/** Below this zoom boxes are patches and arrows are straight. */
const DETAIL_FROM = 0.3;

/** The largest picture of a far graph that is kept, in pixels: 32 MB of them. */
const MOST_KEPT = 8_000_000;

/** Whether boxes are drawn with all that they say. */
export function isNear({ zoom }: View): boolean {
  return zoom >= DETAIL_FROM;
}

/** Draws one frame of a graph that is near, or that is being zoomed. */
export function drawGraph(context: Pen, scene: Scene, view: View, screen: Size, ink: Ink): void {
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
  const detail = isNear(view);
  drawEdges(context, scene, { zoom: view.zoom, seen, detail }, ink);
  if (!detail) drawFarBoxes(context, scene, boxes, ink);
  else for (const box of boxes) drawBox(context, scene, box, view.zoom, ink);
}

/**
 * Draws one frame of a graph that is far and only moves: the whole of it was drawn once, and is copied. False where it
 * would be too large to keep.
 */
export function drawFarGraph(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  ink: Ink,
  kept: KeptPicture,
): boolean {
  const { layout, contentOf, current, marked, found, path } = scene;
  const { zoom, x, y } = view;
  const ratio = devicePixelRatio;
  // Room for the frame around the current box, which reaches over the edge.
  const margin = 16;
  const whole = { width: layout.width * zoom + 2 * margin, height: layout.height * zoom + 2 * margin };
  const size = { width: whole.width * ratio, height: whole.height * ratio };
  if (size.width * size.height > MOST_KEPT) return false;
  const madeFrom = [layout, contentOf, current, marked, found, path, zoom, ratio, ink];
  const picture = kept(madeFrom, size, (on) => {
    on.scale(ratio, ratio);
    drawGraph(on, scene, { x: margin, y: margin, zoom }, whole, ink);
  });
  context.drawImage(picture, x - margin, y - margin, picture.width / ratio, picture.height / ratio);
  return true;
}
