/** The whole graph in a corner, with the part that is on screen; pressed or dragged, it moves the view. */
import { lookOf } from '../model/state.ts';
import type { Ink } from './ink.ts';
import type { KeptPicture } from './kept-picture.ts';
import { BOX } from './layout.ts';
import type { Scene } from './scene.ts';
import { type Box, centre, type Size, type View, visible } from './view.ts';

const MOST = { width: 168, height: 104 };
const MARGIN = 12;

/** The place and scale of the minimap; undefined if the whole graph is in view anyway. */
export function mapPlace({ layout }: Scene, view: View, screen: Size): (Box & { scale: number }) | undefined {
  const seen = visible(view, screen);
  const whole =
    seen.x <= 0 &&
    seen.y <= 0 &&
    seen.x + seen.width >= layout.width &&
    seen.y + seen.height >= layout.height;
  if (whole || screen.width < 480 || screen.height < 260) return undefined;
  const scale = Math.min(MOST.width / layout.width, MOST.height / layout.height);
  const [width, height] = [Math.max(layout.width * scale, 24), Math.max(layout.height * scale, 16)];
  return {
    x: screen.width - width - MARGIN - 8,
    y: screen.height - height - MARGIN - 8,
    width,
    height,
    scale,
  };
}

/** The view that shows the place of the map that was pressed. */
export function viewFromMap(
  place: Box & { scale: number },
  at: { x: number; y: number },
  view: View,
  screen: Size,
): View {
  const point = { x: (at.x - place.x) / place.scale, y: (at.y - place.y) / place.scale };
  return centre({ ...point, width: 0, height: 0 }, screen, view.zoom);
}

/** Draws the map in pixels of the screen. */
export function drawMap(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  screen: Size,
  ink: Ink,
  kept: KeptPicture,
): void {
  const place = mapPlace(scene, view, screen);
  if (!place) return;
  const ratio = devicePixelRatio;
  // Two pixels more than the boxes reach, for those that are drawn larger than they are.
  const size = { width: (place.width + 2) * ratio, height: (place.height + 2) * ratio };
  const dots = kept([scene.layout, scene.contentOf, ink], size, (on) => {
    on.scale(ratio, ratio);
    drawDots(on, scene, place.scale, ink);
  });
  context.fillStyle = ink.raised;
  context.strokeStyle = ink.line;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(place.x - 8, place.y - 8, place.width + 16, place.height + 16, 4);
  context.fill();
  context.stroke();
  context.save();
  context.beginPath();
  context.rect(place.x - 8, place.y - 8, place.width + 16, place.height + 16);
  context.clip();
  context.drawImage(dots, place.x, place.y, dots.width / ratio, dots.height / ratio);
  const seen = visible(view, screen);
  context.strokeStyle = ink.focus;
  context.lineWidth = 1.5;
  context.strokeRect(
    place.x + seen.x * place.scale,
    place.y + seen.y * place.scale,
    seen.width * place.scale,
    seen.height * place.scale,
  );
  context.restore();
}

/** Every box as a dot of its state's colour. */
function drawDots(
  context: OffscreenCanvasRenderingContext2D,
  { layout, contentOf }: Scene,
  scale: number,
  ink: Ink,
): void {
  const byFamily = Map.groupBy(layout.x.keys(), (box) => lookOf(contentOf(box).state).family);
  const [width, height] = [Math.max(BOX.width * scale, 1.5), Math.max(BOX.height * scale, 1.5)];
  for (const [family, boxes] of byFamily) {
    context.beginPath();
    for (const box of boxes) context.rect(layout.x[box] * scale, layout.y[box] * scale, width, height);
    context.fillStyle = ink.states[family].fill;
    context.globalAlpha = family === 'neutral' ? 0.5 : 1;
    context.fill();
  }
}
