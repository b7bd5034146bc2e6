/** The part of the plane that is on screen: a point of the plane is drawn at `point * zoom + offset`. */

/** Offset in pixels of the screen, and how large one pixel of the plane is drawn. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** A rectangle, on the plane or on the screen. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Width and height of the screen. */
export type Size = Pick<Box, 'width' | 'height'>;

/** How far one can zoom out and in. */
export const ZOOM = { least: 0.02, most: 2 } as const;

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** Zooms by a factor so that the point under the pointer stays where it is. */
export function zoomAt(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const zoom = clamp(view.zoom * factor, ZOOM.least, ZOOM.most);
  const ratio = zoom / view.zoom;
  return { zoom, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Shows a box whole, in the middle; never larger than `most`. */
export function fit(box: Box, screen: Size, most = 1, margin = 24): View {
  const room = {
    width: Math.max(screen.width - 2 * margin, 1),
    height: Math.max(screen.height - 2 * margin, 1),
  };
  const zoom = clamp(
    Math.min(room.width / Math.max(box.width, 1), room.height / Math.max(box.height, 1)),
    ZOOM.least,
    most,
  );
  return centre(box, screen, zoom);
}

/** Shows the middle of a box in the middle of the screen. */
export function centre(box: Box, screen: Size, zoom: number): View {
  return {
    zoom,
    x: screen.width / 2 - (box.x + box.width / 2) * zoom,
    y: screen.height / 2 - (box.y + box.height / 2) * zoom,
  };
}

/** Moves as little as needed for a box to be on screen; the same view when it is. */
export function reveal(view: View, box: Box, screen: Size, margin = 24): View {
  const shift = (offset: number, from: number, length: number, room: number) => {
    const start = from * view.zoom + offset;
    const end = start + length * view.zoom;
    if (start < margin) return offset + margin - start;
    return end > room - margin ? offset + Math.max(room - margin - end, margin - start) : offset;
  };
  const x = shift(view.x, box.x, box.width, screen.width);
  const y = shift(view.y, box.y, box.height, screen.height);
  return x === view.x && y === view.y ? view : { ...view, x, y };
}

/** The rectangle of the plane that is on screen. */
export function visible(view: View, screen: Size): Box {
  return {
    x: -view.x / view.zoom,
    y: -view.y / view.zoom,
    width: screen.width / view.zoom,
    height: screen.height / view.zoom,
  };
}
