/** A canvas with the resolution of the screen, drawn on in the page's pixels. */
import { type Ink, readInk } from './ink.ts';

/** What a drawing needs. */
interface Sharp {
  readonly context: CanvasRenderingContext2D;
  readonly ink: Ink;
  readonly width: number;
  readonly height: number;
}

/** Clears and scales a canvas; undefined if the browser has no drawing context. */
export function sharpen(canvas: HTMLCanvasElement): Sharp | undefined {
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return { context, ink: readInk(canvas), width, height };
}
