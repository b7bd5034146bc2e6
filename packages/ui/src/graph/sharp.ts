/** A canvas as large as it is shown, in pixels of the screen, to be drawn on in those of the page. */
import { type Ink, readInk } from './ink.ts';

/** What a drawing needs. */
interface Sharp {
  readonly context: CanvasRenderingContext2D;
  readonly ink: Ink;
  readonly width: number;
  readonly height: number;
}

/** Empties a canvas and makes it ready; undefined where the browser gives nothing to draw with. */
export function sharpen(canvas: HTMLCanvasElement): Sharp | undefined {
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return { context, ink: readInk(canvas), width, height };
}
