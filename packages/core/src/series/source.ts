/**
 * Elements of a series: the product of lists, or a list of business times. An element is computed from its
 * number, so a series of 100,000 costs nothing until it runs.
 */
import { InvalidInput } from '../errors.ts';
import type { Parameters } from '../model/index.ts';
import { said } from '../texts/index.ts';

/** One list of a product: a parameter's name and its values. */
export interface SeriesList {
  readonly name: string;
  readonly values: readonly string[];
}

/** A source of elements 0..count-1. */
export type SeriesSource =
  | { readonly kind: 'product'; readonly lists: readonly SeriesList[] }
  | { readonly kind: 'times'; readonly times: readonly number[] };

/** What an element passes to its child run. */
export interface SeriesElement {
  readonly params: Parameters;
  readonly businessTime?: number;
}

/** Limit of a series' elements. */
export const MAX_ELEMENTS = 100_000;

/**
 * The lists of a product. Values are trimmed; empty ones and those in `without` are left out, which drops
 * every combination with such a value.
 */
export function productOf(
  lists: readonly SeriesList[],
  without: readonly string[] = [],
): readonly SeriesList[] {
  const drop = new Set(without.map((value) => value.trim()));
  return lists.map(({ name, values }) => ({
    name,
    values: values.map((value) => value.trim()).filter((value) => value !== '' && !drop.has(value)),
  }));
}

/** Number of elements of a source; refused, with the count, above the limit. */
export function countElements(source: SeriesSource, limit: number = MAX_ELEMENTS): number {
  const count =
    source.kind === 'times'
      ? source.times.length
      : source.lists.length === 0
        ? 0
        : source.lists.reduce((product, list) => product * list.values.length, 1);
  if (count > Math.min(limit, MAX_ELEMENTS)) {
    throw new InvalidInput(said('series.tooMany', { count, most: Math.min(limit, MAX_ELEMENTS) }));
  }
  return count;
}

/** Element number `i`. The last list of a product varies fastest. */
export function elementAt(source: SeriesSource, i: number): SeriesElement {
  if (source.kind === 'times') return { params: {}, businessTime: source.times[i] };
  const chosen: [string, string][] = [];
  let rest = i;
  for (const { name, values } of source.lists.toReversed()) {
    chosen.push([name, values[rest % values.length]]);
    rest = Math.floor(rest / values.length);
  }
  return { params: Object.fromEntries(chosen.reverse()) };
}
