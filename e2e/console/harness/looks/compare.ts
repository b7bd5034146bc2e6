/**
 * Whether two pictures of a page show the same. Pictures drawn by the same program with the same fonts are
 * compared exactly, others roughly: letters then differ everywhere and lines break elsewhere, but places and
 * colours stay.
 */
import type { Picture } from './png.ts';

/** How pictures are compared. */
export type Strictness = 'exact' | 'rough';

/** A channel may be so far off: half of it is what storing in few colours costs. */
const CHANNEL = 8;
/** The share of pixels that may differ in an exact comparison. */
const PIXELS = 0.001;

/**
 * In a rough comparison, a block of this many pixels becomes one average: about the height of a line of text.
 */
const BLOCK = 16;
/** Averages that are further apart differ; lines of letters are nearer to other letters than to an empty ground. */
const APART = 24;
/** The share of blocks that may have nothing like them, there or beside it, in a rough comparison. */
const BLOCKS = 0.02;

/** Colours that a name can be given to, by where they begin on the circle of hues; each state has its own. */
const hues = { red: 330, amber: 25, green: 70, blue: 190, purple: 250 };
type Hue = keyof typeof hues;
/** Less colour than this has none. */
const COLOURFUL = 36;
/**
 * How much of a colour may come or go: a share of that colour, and a share of all pixels. The exact mode
 * needs both too, since a state's icons have fewer pixels than may differ on a page.
 */
const HUE = { exact: { ofItself: 0.1, ofAll: 0.0001 }, rough: { ofItself: 0.35, ofAll: 0.0003 } };

/** The difference, in words; undefined if there is none. */
export function differenceOf(
  stored: Picture,
  actual: Picture,
  strictness: Strictness,
  pixels = PIXELS,
): string | undefined {
  const [before, now] = [stored, actual].map(({ width, height }) => `${width} × ${height}`);
  if (before !== now) return `it was ${before} pixels and is ${now}`;
  const apart = strictness === 'rough' ? blocksApart(stored, actual) : pixelsApart(stored, actual, pixels);
  return apart ?? huesApart(stored, actual, strictness);
}

function pixelsApart(stored: Picture, actual: Picture, pixels: number): string | undefined {
  const share = differing(stored, actual).reduce((sum, one) => sum + one, 0) / (stored.rgb.length / 3);
  return share > pixels ? `${percent(share)} of its pixels differ, ${percent(pixels)} may` : undefined;
}

/** The picture with equal parts faded and differences in red. */
export function markDifference(stored: Picture, actual: Picture): Picture {
  const rgb = actual.rgb.map((value) => 255 - (255 - value) / 4);
  if (stored.rgb.length === actual.rgb.length)
    for (const [pixel, differs] of differing(stored, actual).entries())
      if (differs) rgb.set([230, 0, 0], pixel * 3);
  return { ...actual, rgb };
}

/** A one for each pixel that differs. */
function differing(stored: Picture, actual: Picture): Uint8Array {
  const [a, b] = [stored.rgb, actual.rgb];
  const marks = new Uint8Array(a.length / 3);
  for (let k = 0; k < a.length; k++) if (Math.abs(a[k] - b[k]) > CHANNEL) marks[Math.floor(k / 3)] = 1;
  return marks;
}

function blocksApart(stored: Picture, actual: Picture): string | undefined {
  const [before, now] = [averages(stored), averages(actual)];
  const share = Math.max(shareWithoutLike(before, now), shareWithoutLike(now, before));
  return share > BLOCKS ? `${percent(share)} of its blocks differ, ${percent(BLOCKS)} may` : undefined;
}

/** The average colours of blocks, row by row, three numbers each. */
interface Blocks {
  readonly columns: number;
  readonly rows: number;
  readonly averages: Float64Array;
}

/** The share of blocks that have nothing like them in the other picture, where they are or beside it. */
function shareWithoutLike(these: Blocks, others: Blocks): number {
  const { columns, rows } = these;
  let alone = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const near = beside(row, rows).flatMap((y) => beside(column, columns).map((x) => y * columns + x));
      const block = row * columns + column;
      if (near.every((other) => apart(these, block, others, other) > APART)) alone++;
    }
  return alone / (columns * rows);
}

function beside(place: number, count: number): number[] {
  return [place - 1, place, place + 1].filter((one) => one >= 0 && one < count);
}

function apart(these: Blocks, block: number, others: Blocks, other: number): number {
  const [a, b] = [these.averages, others.averages];
  const by = (channel: number) => a[block * 3 + channel] - b[other * 3 + channel];
  return Math.hypot(by(0), by(1), by(2));
}

function averages({ width, height, rgb }: Picture): Blocks {
  const [columns, rows] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
  const sums = new Float64Array(columns * rows * 3);
  const counts = new Float64Array(columns * rows);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const block = Math.floor(y / BLOCK) * columns + Math.floor(x / BLOCK);
      counts[block]++;
      for (let channel = 0; channel < 3; channel++)
        sums[block * 3 + channel] += rgb[(y * width + x) * 3 + channel];
    }
  return { columns, rows, averages: sums.map((sum, k) => sum / counts[Math.floor(k / 3)]) };
}

function huesApart(stored: Picture, actual: Picture, strictness: Strictness): string | undefined {
  const [before, now] = [hueCounts(stored), hueCounts(actual)];
  const pixels = stored.rgb.length / 3;
  const { ofItself, ofAll } = HUE[strictness];
  for (const hue of Object.keys(hues) as Hue[]) {
    const [a, b] = [before[hue], now[hue]];
    if (Math.abs(a - b) > ofItself * Math.max(a, b) + ofAll * pixels)
      return `it had ${a} pixels that are ${hue} and has ${b}`;
  }
  return undefined;
}

/** How many pixels have each hue; most of a page has none. */
function hueCounts({ rgb }: Picture): Record<Hue, number> {
  const counts = { red: 0, amber: 0, green: 0, blue: 0, purple: 0 };
  for (let k = 0; k < rgb.length; k += 3) {
    const hue = hueOf(rgb[k], rgb[k + 1], rgb[k + 2]);
    if (hue !== undefined) counts[hue]++;
  }
  return counts;
}

function hueOf(red: number, green: number, blue: number): Hue | undefined {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < COLOURFUL) return undefined;
  const part =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  const angle = (part * 60 + 360) % 360;
  if (angle >= hues.red || angle < hues.amber) return 'red';
  if (angle < hues.green) return 'amber';
  if (angle < hues.blue) return 'green';
  return angle < hues.purple ? 'blue' : 'purple';
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
