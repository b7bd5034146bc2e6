/**
 * The scroll position of a log's lines. Browsers limit the height of an element (Chromium near 33 million
 * pixels, others lower), so a higher log scrolls by ratio: the bar covers the whole log, and one pixel of it
 * represents several lines.
 */

/** Above this height positions are scaled. */
export const MOST_PIXELS = 10_000_000;

/** A scrolled box: `lines` of `lineHeight` in a window of `height` pixels. */
export interface Scroll {
  readonly lines: number;
  readonly lineHeight: number;
  readonly height: number;
}

/** How high the scrolled element is. */
export function scrollHeight({ lines, lineHeight }: Scroll): number {
  return Math.min(lines * lineHeight, MOST_PIXELS);
}

/** The line at the upper edge, with its fraction, for a position of the scroll bar. */
export function lineAt(scroll: Scroll, top: number): number {
  const room = scrollHeight(scroll) - scroll.height;
  const last = lastTop(scroll);
  return room <= 0 || last === 0 ? 0 : Math.min(Math.max(top / room, 0), 1) * last;
}

/** The position of the scroll bar that brings a line to the upper edge, or as near as the end allows. */
export function topOf(scroll: Scroll, line: number): number {
  const room = scrollHeight(scroll) - scroll.height;
  const last = lastTop(scroll);
  return room <= 0 || last === 0 ? 0 : (Math.min(Math.max(line, 0), last) / last) * room;
}

/** The highest line that can be at the upper edge. */
export function lastTop({ lines, lineHeight, height }: Scroll): number {
  return Math.max(0, lines - height / lineHeight);
}
