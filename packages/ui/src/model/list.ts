/**
 * Navigation and selection in a list by keyboard: a current row, selected rows, and the row where a range
 * starts. Rows are identified by id, so that nothing moves when rows are added or removed.
 */

/** Where one is in a list. */
export interface ListPlace {
  /** The current row; null before the first key. */
  readonly current: string | null;
  readonly chosen: ReadonlySet<string>;
  /** Where a range starts: the row chosen last. */
  readonly anchor: string | null;
}

/** Nothing current, nothing chosen. */
export const nowhere: ListPlace = { current: null, chosen: new Set(), anchor: null };

/** Steps by rows, stopping at the ends; from nowhere to the first or the last. */
export function step(place: ListPlace, ids: readonly string[], by: number): ListPlace {
  if (ids.length === 0) return place;
  const at = place.current === null ? -1 : ids.indexOf(place.current);
  const start = at < 0 ? (by > 0 ? -1 : ids.length) : at;
  const next = ids[Math.min(ids.length - 1, Math.max(0, start + by))];
  return next === place.current ? place : { ...place, current: next };
}

/** Makes a row current. */
export function goTo(place: ListPlace, id: string | null): ListPlace {
  return id === place.current ? place : { ...place, current: id };
}

/** Chooses a row, or no longer. */
export function toggle(place: ListPlace, id: string): ListPlace {
  const chosen = new Set(place.chosen);
  if (!chosen.delete(id)) chosen.add(id);
  return { current: id, chosen, anchor: id };
}

/** Chooses every row between the anchor and this one. */
export function extend(place: ListPlace, ids: readonly string[], id: string): ListPlace {
  const [from, to] = [place.anchor === null ? -1 : ids.indexOf(place.anchor), ids.indexOf(id)];
  if (from < 0 || to < 0) return toggle(place, id);
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { current: id, chosen: new Set([...place.chosen, ...range]), anchor: place.anchor };
}

/** Chooses all rows or none. */
export function choose(place: ListPlace, ids: readonly string[]): ListPlace {
  return { ...place, chosen: new Set(ids), anchor: null };
}

/** Cuts a name in the middle, where names of one family are alike: `daily-orde…s-eu-west`. */
export function cutMiddle(name: string, most: number): string {
  const letters = Array.from(name);
  if (letters.length <= most) return name;
  const kept = Math.max(2, most - 1);
  const head = Math.ceil(kept / 2);
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - (kept - head)).join('')}`;
}
