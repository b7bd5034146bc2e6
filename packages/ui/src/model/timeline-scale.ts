/** From time to pixels and back; folded gaps take a fixed width, everything else what its time asks for. */

/** A stretch of time. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A scale over a range of time. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly gaps: readonly (readonly [number, number])[];
  readonly toX: (time: number) => number;
  readonly toTime: (x: number) => number;
}

/** How wide a folded gap is. */
export const GAP_WIDTH = 24;

/** Makes a scale; gaps outside the range are left out. */
export function timeScale(
  { from, to }: Range,
  width: number,
  allGaps: readonly (readonly [number, number])[] = [],
): TimeScale {
  const gaps = allGaps.filter(([start, end]) => start >= from && end <= to);
  const folded = gaps.reduce((sum, [start, end]) => sum + end - start, 0);
  const room = Math.max(width - gaps.length * GAP_WIDTH, 1);
  const perMs = room / Math.max(to - from - folded, 1);
  // Corners of the broken line between time and pixels.
  const times = [from];
  const pixels = [0];
  const add = (time: number, rate: number | null) => {
    const last = times.length - 1;
    pixels.push(pixels[last] + (rate === null ? GAP_WIDTH : (time - times[last]) * rate));
    times.push(time);
  };
  for (const [start, end] of gaps) {
    add(start, perMs);
    add(end, null);
  }
  add(to, perMs);
  return {
    from,
    to,
    width,
    gaps,
    toX: (time) => between(times, pixels, time, perMs),
    toTime: (x) => between(pixels, times, x, 1 / perMs),
  };
}

/** Follows the broken line, and straight on beyond its ends. */
function between(xs: readonly number[], ys: readonly number[], x: number, rate: number): number {
  if (x <= xs[0]) return ys[0] + (x - xs[0]) * rate;
  const i = xs.findIndex((other) => x <= other);
  const last = xs.length - 1;
  if (i < 0) return ys[last] + (x - xs[last]) * rate;
  const length = xs[i] - xs[i - 1];
  return length === 0 ? ys[i] : ys[i - 1] + ((x - xs[i - 1]) / length) * (ys[i] - ys[i - 1]);
}

/** The visible range after zooming by a factor about its middle; null for everything. */
export function zoomed(scale: TimeScale, factor: number, extent: Range): Range | null {
  const beyond = (scale.width * (factor - 1)) / 2;
  const from = Math.max(extent.from, Math.round(scale.toTime(-beyond)));
  const to = Math.min(extent.to, Math.round(scale.toTime(scale.width + beyond)));
  if (from <= extent.from && to >= extent.to) return null;
  return to > from ? { from, to } : { from: scale.from, to: scale.to };
}

/** The visible range after panning by a share of its width, within the extent. */
export function panned({ from, to, gaps }: TimeScale, share: number, extent: Range): Range {
  const folded = gaps.reduce((sum, [start, end]) => sum + end - start, 0);
  const wanted = Math.round((to - from - folded) * share);
  const by = Math.max(Math.min(0, extent.from - from), Math.min(wanted, Math.max(0, extent.to - to)));
  return { from: from + by, to: to + by };
}

const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400_000),
];

/** Round times for the axis, at least `apart` pixels from each other, none inside a gap. */
export function axisTimes(scale: TimeScale, apart = 90): readonly number[] {
  const folded = scale.gaps.reduce((sum, [from, to]) => sum + to - from, 0);
  const least = ((scale.to - scale.from - folded) / Math.max(scale.width, 1)) * apart;
  const step = steps.find((one) => one >= least) ?? steps[steps.length - 1];
  const times: number[] = [];
  // Outside of gaps a step has the requested width, so their number is limited by the space.
  for (let time = Math.ceil(scale.from / step) * step; time <= scale.to; time += step) {
    const gap = scale.gaps.find(([from, to]) => time > from && time < to);
    if (gap) time = Math.floor(gap[1] / step) * step;
    else times.push(time);
  }
  return times;
}
