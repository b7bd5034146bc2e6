/**
 * A canvas that shows a scene and is panned and zoomed by pointer, wheel and touch. Moving the view redraws the
 * canvas and tells one listener; no framework takes part, so a frame costs only its drawing.
 */
import { drawFarGraph, drawGraph, isNear } from './draw.ts';
import { type Ink, readInk } from './ink.ts';
import { keepPicture } from './kept-picture.ts';
import { BOX } from './layout.ts';
import { drawMap, mapPlace, viewFromMap } from './minimap.ts';
import type { Scene } from './scene.ts';
import { type Box, type Size, type View, zoomAt } from './view.ts';
import { boxAt, boxesIn, edgeAt } from './walk.ts';

/** What the surface tells. */
export interface SurfaceEvents {
  /** The view moved, or the canvas has another size. */
  readonly moved: (view: View, screen: Size) => void;
  /** A box was pressed; -1 for the ground. */
  readonly pressed: (box: number) => void;
  readonly opened: (box: number) => void;
  readonly hovered: (box: number) => void;
  /** Whether several boxes can be chosen, by Shift and a drag around them or a click. */
  readonly chooses: () => boolean;
  readonly chosen: (boxes: readonly number[], how: 'add' | 'toggle') => void;
  /** Whether arrows can be drawn now, from the right edge of a box to another box. */
  readonly links: () => boolean;
  readonly linked: (from: number, to: number) => void;
}

/** A running surface. */
export interface Surface {
  readonly view: () => View;
  readonly screen: () => Size;
  /** Moves the view and notifies the listener. */
  readonly look: (view: View) => void;
  readonly show: (scene: Scene) => void;
  /** Reads the colours again and draws. */
  readonly repaint: () => void;
  /** The thing under a pointer: a box, an arrow, or -1. */
  readonly under: (event: MouseEvent) => { readonly box: number; readonly edge: number };
  readonly stop: () => void;
}

const STILL = 4;
/** How far from the right edge of a box an arrow begins, and how near to an arrow counts as on it. */
const HANDLE = 18;
const ON_EDGE = 12;
const WHEEL_STEP = 0.0022;

/** Starts a surface on a canvas that fills its parent. */
export function startSurface(canvas: HTMLCanvasElement, events: SurfaceEvents): Surface {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no canvas');
  let view: View = { x: 0, y: 0, zoom: 1 };
  let screen: Size = { width: 0, height: 0 };
  let scene: Scene | undefined;
  let ink: Ink = readInk(canvas);
  let frame = 0;
  let zoomBefore = 0;
  const farPicture = keepPicture();
  const mapPicture = keepPicture();

  const draw = () => {
    frame = 0;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, screen.width, screen.height);
    if (!scene) return;
    context.save();
    // While it is zoomed every frame is another picture, and none is worth keeping.
    const moves = !isNear(view) && view.zoom === zoomBefore;
    zoomBefore = view.zoom;
    if (!moves || !drawFarGraph(context, scene, view, ink, farPicture))
      drawGraph(context, scene, view, screen, ink);
    context.restore();
    drawMap(context, scene, view, screen, ink, mapPicture);
    drawLink(context, scene, view, ink, link);
    if (frameAround) {
      context.strokeStyle = ink.focus;
      context.lineWidth = 1;
      context.strokeRect(frameAround.x, frameAround.y, frameAround.width, frameAround.height);
    }
  };
  let link: Link | undefined;
  let frameAround: Box | undefined;
  const redraw = () => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const look = (next: View) => {
    view = next;
    redraw();
    events.moved(view, screen);
  };

  const stopInput = takeInput(canvas, {
    ...events,
    view: () => view,
    screen: () => screen,
    scene: () => scene,
    look,
    link: (next) => {
      link = next;
      redraw();
    },
    frame: (next) => {
      frameAround = next;
      redraw();
    },
  });
  const resized = new ResizeObserver(([{ contentRect }]) => {
    const { width, height } = contentRect;
    // The centre stays in place, even when details open beside the graph.
    if (screen.width > 0)
      view = { ...view, x: view.x + (width - screen.width) / 2, y: view.y + (height - screen.height) / 2 };
    screen = { width, height };
    canvas.width = Math.round(screen.width * devicePixelRatio);
    canvas.height = Math.round(screen.height * devicePixelRatio);
    // At once: a cleared canvas would flash until the next frame.
    draw();
    events.moved(view, screen);
  });
  resized.observe(canvas);

  return {
    view: () => view,
    screen: () => screen,
    look,
    show: (next) => {
      scene = next;
      redraw();
    },
    repaint: () => {
      ink = readInk(canvas);
      redraw();
    },
    under: (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      const point = {
        x: (event.clientX - left - view.x) / view.zoom,
        y: (event.clientY - top - view.y) / view.zoom,
      };
      if (!scene) return { box: -1, edge: -1 };
      return { box: boxAt(scene.layout, point, BOX), edge: edgeAt(scene.layout, point, ON_EDGE) };
    },
    stop: () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
      stopInput();
    },
  };
}

/** An arrow that is being drawn, to a point of the screen; without one, where it could begin. */
interface Link {
  readonly from: number;
  readonly to: { readonly x: number; readonly y: number } | null;
}

function drawLink(
  context: CanvasRenderingContext2D,
  { layout }: Scene,
  view: View,
  ink: Ink,
  link: Link | undefined,
): void {
  if (!link) return;
  const x = (layout.x[link.from] + BOX.width) * view.zoom + view.x;
  const y = (layout.y[link.from] + BOX.height / 2) * view.zoom + view.y;
  context.strokeStyle = ink.focus;
  context.fillStyle = link.to ? ink.focus : ink.ground;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  if (!link.to) return;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(link.to.x, link.to.y);
  context.stroke();
}

interface Input extends SurfaceEvents {
  readonly link: (link: Link | undefined) => void;
  /** A frame that is drawn around boxes, on the screen. */
  readonly frame: (frame: Box | undefined) => void;
  readonly view: () => View;
  readonly screen: () => Size;
  readonly scene: () => Scene | undefined;
  readonly look: (view: View) => void;
}

/** Pointer, wheel and touch; the answer ends it. */
function takeInput(canvas: HTMLCanvasElement, input: Input): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  let onMap = false;
  const place = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const boxUnder = (at: { x: number; y: number }) => {
    const scene = input.scene();
    const { x, y, zoom } = input.view();
    return scene ? boxAt(scene.layout, { x: (at.x - x) / zoom, y: (at.y - y) / zoom }, BOX) : -1;
  };
  const mapAt = ({ x, y }: { x: number; y: number }) => {
    const scene = input.scene();
    const map = scene && mapPlace(scene, input.view(), input.screen());
    return map && x >= map.x - 8 && y >= map.y - 8 ? map : undefined;
  };

  /** The box whose right edge is under the pointer, where an arrow could start. */
  const handleUnder = (at: { x: number; y: number }) => {
    const scene = input.scene();
    const box = input.links() && scene ? boxUnder(at) : -1;
    if (box < 0 || !scene) return -1;
    const { x, zoom } = input.view();
    return (at.x - x) / zoom > scene.layout.x[box] + BOX.width - HANDLE ? box : -1;
  };
  let linkFrom = -1;
  /** Where a frame around boxes begins. */
  let frameFrom: { x: number; y: number } | undefined;
  const frameTo = (from: { x: number; y: number }, at: { x: number; y: number }): Box => ({
    x: Math.min(from.x, at.x),
    y: Math.min(from.y, at.y),
    width: Math.abs(from.x - at.x),
    height: Math.abs(from.y - at.y),
  });
  const choose = (from: { x: number; y: number }, at: { x: number; y: number }) => {
    const scene = input.scene();
    if (!scene) return;
    if (travelled <= STILL) {
      const box = boxUnder(at);
      if (box >= 0) input.chosen([box], 'toggle');
      return;
    }
    const { x, y, zoom } = input.view();
    const around = frameTo(from, at);
    const size = { width: around.width / zoom, height: around.height / zoom };
    input.chosen(
      boxesIn(scene.layout, { x: (around.x - x) / zoom, y: (around.y - y) / zoom, ...size }, BOX),
      'add',
    );
  };

  const on: Partial<{ [Name in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[Name]) => void }> = {
    pointerdown: (event) => {
      const at = place(event);
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at);
      travelled = 0;
      const map = mapAt(at);
      onMap = map !== undefined;
      frameFrom = event.shiftKey && !map && input.chooses() ? at : undefined;
      linkFrom = map || frameFrom ? -1 : handleUnder(at);
      if (map) input.look(viewFromMap(map, at, input.view(), input.screen()));
    },
    pointermove: (event) => {
      const at = place(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        input.hovered(mapAt(at) ? -1 : boxUnder(at));
        const box = handleUnder(at);
        input.link(box < 0 ? undefined : { from: box, to: null });
        return;
      }
      travelled += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
      pointers.set(event.pointerId, at);
      const scene = input.scene();
      const map = onMap && scene ? mapPlace(scene, input.view(), input.screen()) : undefined;
      if (map) input.look(viewFromMap(map, at, input.view(), input.screen()));
      else if (others.length > 0) input.look(pinched(input.view(), before, at, others[0]));
      else if (frameFrom) input.frame(frameTo(frameFrom, at));
      else if (linkFrom >= 0) input.link({ from: linkFrom, to: at });
      else if (travelled > STILL) {
        const { x, y, zoom } = input.view();
        input.look({ x: x + at.x - before.x, y: y + at.y - before.y, zoom });
      }
    },
    pointerup: (event) => {
      pointers.delete(event.pointerId);
      input.link(undefined);
      if (frameFrom) {
        input.frame(undefined);
        choose(frameFrom, place(event));
        frameFrom = undefined;
        return;
      }
      const target = boxUnder(place(event));
      if (linkFrom >= 0 && target >= 0 && target !== linkFrom && travelled > STILL)
        input.linked(linkFrom, target);
      if (travelled <= STILL && !onMap) input.pressed(boxUnder(place(event)));
    },
    pointercancel: (event) => {
      pointers.delete(event.pointerId);
      frameFrom = undefined;
      input.frame(undefined);
    },
    pointerleave: () => {
      input.hovered(-1);
      if (pointers.size === 0) input.link(undefined);
    },
    dblclick: (event) => {
      const box = boxUnder(place(event));
      if (box >= 0) input.opened(box);
    },
    wheel: (event) => {
      event.preventDefault();
      const at = place(event);
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const view = input.view();
      if (event.ctrlKey || event.metaKey)
        input.look(zoomAt(view, Math.exp(-event.deltaY * pixels * WHEEL_STEP * 2), at));
      else if (event.shiftKey) input.look({ ...view, x: view.x - (event.deltaX + event.deltaY) * pixels });
      else input.look({ ...view, x: view.x - event.deltaX * pixels, y: view.y - event.deltaY * pixels });
    },
  };
  const all = Object.entries(on) as [string, EventListener][];
  for (const [name, listener] of all) canvas.addEventListener(name, listener, { passive: false });
  return () => {
    for (const [name, listener] of all) canvas.removeEventListener(name, listener);
  };
}

/** One finger of two moved: zooms by how far they are apart, about the one that rests. */
function pinched(
  view: View,
  before: { x: number; y: number },
  at: { x: number; y: number },
  other: { x: number; y: number },
): View {
  const apart = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y);
  return zoomAt(view, apart(at) / Math.max(apart(before), 1), other);
}
