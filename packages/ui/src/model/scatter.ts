/** A chart of durations over time: the position of each run, and the run near a point. Pure. */

/** A run as a point: when, counted from the start of the range, and how long it took, in milliseconds. */
export interface Scatter {
  /** Milliseconds of the whole range. */
  readonly width: number;
  readonly at: readonly number[];
  readonly took: readonly number[];
}

/** Durations are drawn by their magnitude: seconds and hours stand in one picture. */
const magnitude = (ms: number) => Math.log10(Math.max(1, ms));

/** Where points stand, from 0 to 1: left to right, and bottom to top. */
export function placesOf({ width, at, took }: Scatter): readonly (readonly [x: number, y: number])[] {
  const least = magnitude(took.reduce((all, ms) => Math.min(all, ms), Number.MAX_SAFE_INTEGER));
  const most = magnitude(took.reduce((all, ms) => Math.max(all, ms), 1));
  const room = most - least || 1;
  return took.map((ms, k) => [at[k] / width, (magnitude(ms) - least) / room]);
}

/** The point nearest to a place, in pixels, if one is near; -1 otherwise. */
export function nearest(
  places: readonly (readonly [x: number, y: number])[],
  size: { readonly width: number; readonly height: number },
  point: { readonly x: number; readonly y: number },
  within: number,
): number {
  let [found, best] = [-1, within * within];
  places.forEach(([x, y], k) => {
    const far = (x * size.width - point.x) ** 2 + ((1 - y) * size.height - point.y) ** 2;
    if (far <= best) [found, best] = [k, far];
  });
  return found;
}
