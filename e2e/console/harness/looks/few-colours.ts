/**
 * Reduces a picture to at most 256 colours. The common ones, those of grounds, inks and states, stay
 * unchanged; the thousands of shades at the edges of letters become the nearest of those.
 */
import type { Picture, TablePicture } from './png.ts';

/** How far a shade may be moved where 256 colours suffice for it; the nearest grounds of the console are 9 apart. */
const NEAR = 4;
const MOST = 256;
/** Pixels of a colour that make it a ground: moved a little, it might count as a state's colour or stop to. */
const GROUND = 400;

/** The same picture by the same colours, whatever else was reduced before. */
export function inFewColours({ width, height, rgb }: Picture): TablePicture {
  const counts = new Map<number, number>();
  const colours = new Uint32Array(width * height);
  for (let pixel = 0; pixel < colours.length; pixel++) {
    const colour = (rgb[pixel * 3] << 16) | (rgb[pixel * 3 + 1] << 8) | rgb[pixel * 3 + 2];
    colours[pixel] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const commonFirst = [...counts].sort(([a, m], [b, n]) => n - m || a - b);
  const table: number[] = [];
  const places = new Map<number, number>();
  for (const [colour, count] of commonFirst) {
    const [place, distance] = nearest(table, colour);
    if ((distance > NEAR || count > GROUND) && table.length < MOST)
      places.set(colour, table.push(colour) - 1);
    else places.set(colour, place);
  }
  return {
    width,
    height,
    table: Uint8Array.from(table.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
    pixels: Uint8Array.from(colours, (colour) => places.get(colour) ?? 0),
  };
}

function nearest(table: readonly number[], colour: number): [place: number, distance: number] {
  let [place, least] = [0, Number.POSITIVE_INFINITY];
  for (const [k, other] of table.entries()) {
    const distance = Math.max(
      Math.abs((colour >> 16) - (other >> 16)),
      Math.abs(((colour >> 8) & 255) - ((other >> 8) & 255)),
      Math.abs((colour & 255) - (other & 255)),
    );
    if (distance < least) [place, least] = [k, distance];
  }
  return [place, least];
}
