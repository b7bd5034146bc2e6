/** A drawing cached as pixels while its inputs stay the same: a frame then only copies it. */
import type { Size } from './view.ts';

/** Draws when it has to, and answers the pixels; `size` is in pixels of the canvas. */
export type KeptPicture = (
  madeFrom: readonly unknown[],
  size: Size,
  draw: (context: OffscreenCanvasRenderingContext2D) => void,
) => OffscreenCanvas;

/** A picture that is not drawn yet. */
export function keepPicture(): KeptPicture {
  let known: readonly unknown[] = [];
  let picture: OffscreenCanvas | undefined;
  return (madeFrom, { width, height }, draw) => {
    const from = [...madeFrom, width, height];
    if (picture && from.length === known.length && from.every((part, i) => Object.is(part, known[i])))
      return picture;
    known = from;
    picture = new OffscreenCanvas(Math.max(1, Math.ceil(width)), Math.max(1, Math.ceil(height)));
    const context = picture.getContext('2d');
    if (context) draw(context);
    return picture;
  };
}
