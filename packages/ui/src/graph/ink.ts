/** The colours a canvas draws with, read from the style sheet: theme, contrast and forced colours come with it. */
import { type Family, families } from '../theme/palette.ts';

/** Colours and fonts for canvases. */
export interface Ink {
  readonly ground: string;
  readonly raised: string;
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly strong: string;
  readonly focus: string;
  readonly chosen: string;
  readonly sans: string;
  readonly states: Readonly<Record<Family, { readonly fill: string; readonly text: string }>>;
}

/** Reads the current colours of an element. */
export function readInk(element: Element): Ink {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const states = Object.fromEntries(
    families.map((family) => [family, { fill: read(`--${family}-fill`), text: read(`--${family}-text`) }]),
  ) as Record<Family, { fill: string; text: string }>;
  return {
    ground: read('--ground'),
    raised: read('--raised'),
    text: read('--text'),
    dim: read('--dim'),
    line: read('--line'),
    strong: read('--line-strong'),
    focus: read('--focus'),
    chosen: read('--chosen'),
    sans: read('--sans'),
    states,
  };
}
