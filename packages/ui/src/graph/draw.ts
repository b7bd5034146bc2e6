/**
 * Draws a graph on a canvas: arrows, then boxes, in as much detail as the zoom can show. It reads only what it is
 * given, so a frame costs what is on screen.
 */
import { drawBox, drawFarBoxes } from './draw-box.ts';
import { drawEdges } from './draw-edges.ts';
import type { Ink } from './ink.ts';
import { BOX } from './layout.ts';
import type { Scene } from './scene.ts';
import { type Size, type View, visible } from './view.ts';

/** Below this zoom boxes are patches and arrows are straight. */
const DETAIL_FROM = 0.3;

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
  const detail = view.zoom >= DETAIL_FROM;
  drawEdges(context, scene, { zoom: view.zoom, seen, detail }, ink);
  if (!detail) drawFarBoxes(context, scene, boxes, ink);
  else for (const box of boxes) drawBox(context, scene, box, view.zoom, ink);
}
