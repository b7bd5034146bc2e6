/**
 * The last runs of a workflow as a strip of bars: height is time, form and colour are the outcome. Bars of one look
 * are one path, so that a strip costs a handful of elements. Pure.
 */
import type { Family } from '../theme/palette.ts';
import { lookOf } from './state.ts';

/** One run of a strip. */
export interface StripRun {
  readonly id: number;
  readonly state: string;
  /** Milliseconds; null until it has ended. */
  readonly duration: number | null;
}

/** How many bars have room. */
export const STRIP_BARS = 30;
/** Pixels from bar to bar, and of the whole. */
export const BAR_STEP = 6;
export const STRIP_HEIGHT = 20;
const BAR_WIDTH = 4;
const SHORTEST = 4;

/** The bars of one look: a path that is filled, and one that is only drawn. */
export interface StripPaths {
  readonly family: Family;
  readonly filled: string;
  readonly outlined: string;
}

/** The position of a bar: the newest run is always at the right. */
export function placeOf(index: number, count: number): number {
  return (STRIP_BARS - count + index) * BAR_STEP;
}

/** The run under a place in the strip, if there is one. */
export function runAt(x: number, runs: readonly StripRun[]): number | null {
  const index = Math.floor(x / BAR_STEP) - (STRIP_BARS - runs.length);
  return index >= 0 && index < runs.length ? index : null;
}

/** The paths to draw, one entry for each family that there is. */
export function stripPaths(runs: readonly StripRun[]): readonly StripPaths[] {
  const longest = Math.max(1, ...runs.map(({ duration }) => duration ?? 0));
  const found = new Map<Family, { filled: string; outlined: string }>();
  runs.forEach(({ state, duration }, index) => {
    const { family } = lookOf(state);
    const paths = found.get(family) ?? { filled: '', outlined: '' };
    found.set(family, paths);
    const x = placeOf(index, runs.length) + 1;
    const share = duration === null ? 0.5 : Math.sqrt(duration / longest);
    const height = Math.round(SHORTEST + share * (STRIP_HEIGHT - SHORTEST));
    const y = STRIP_HEIGHT - height;
    if (family === 'failed') {
      // As high as the strip and cut across: it is seen without its colour.
      paths.filled += `M${x} 0h${BAR_WIDTH}v6h-${BAR_WIDTH}zM${x} 9h${BAR_WIDTH}v${STRIP_HEIGHT - 9}h-${BAR_WIDTH}z`;
    } else if (family === 'success') paths.filled += `M${x} ${y}h${BAR_WIDTH}v${height}h-${BAR_WIDTH}z`;
    else paths.outlined += `M${x + 0.5} ${y + 0.5}h${BAR_WIDTH - 1}v${height - 1}h-${BAR_WIDTH - 1}z`;
  });
  return [...found].map(([family, paths]) => ({ family, ...paths }));
}
