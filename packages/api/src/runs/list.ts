/** Pages of runs. */
import { said } from '@orrery/core/texts';
import type { ByDuration, PagePlace, Store } from '@orrery/store';
import { Refusal } from '../problem.ts';
import type { Chosen } from './choose.ts';
import { type ShownRow, showRows } from './show-row.ts';

/** Nothing is counted beyond this. */
const MOST_COUNTED = 10_000;

/** A page of the chosen runs, newest first unless the oldest are; `next` is what to go on from for more. */
export async function listRuns(
  store: Store,
  chosen: Chosen,
  page: PagePlace,
): Promise<{ readonly runs: ShownRow[]; readonly next: number | undefined }> {
  // One run by its number: the page that begins with it, cut to it.
  const only = chosen.only;
  const from = only === undefined ? page : { before: Math.min(only + 1, page.before ?? only + 1), limit: 1 };
  const { runs, queued, next } = await store.pageRuns({ ...chosen, ...from });
  if (only === undefined) {
    const rows = await showRows(store, runs, queued);
    return { runs: page.oldest ? rows.reverse() : rows, next };
  }
  const rows = await showRows(
    store,
    runs.filter(({ run }) => run.id === only),
    queued.filter(({ id }) => id === only),
  );
  return { runs: rows, next: undefined };
}

/** A page of the chosen runs, sorted by duration. Refused if too many runs would have to be read. */
export async function sortRuns(
  store: Store,
  chosen: Chosen,
  page: ByDuration,
): Promise<{ readonly runs: ShownRow[]; readonly next: number | undefined }> {
  if (chosen.only !== undefined) return listRuns(store, chosen, { limit: 1 });
  const sorted = await store.sortRuns({ ...chosen, ...page });
  if ('most' in sorted)
    throw new Refusal('not-accepted', said('filter.tooManyToSort', { most: sorted.most }));
  const rows = await showRows(store, sorted.runs, sorted.queued);
  const place = new Map(sorted.ids.map((id, at) => [id, at]));
  rows.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
  return { runs: rows, next: sorted.next };
}

/** The number of chosen runs, up to the counting limit. */
export async function countRuns(
  store: Store,
  chosen: Chosen,
): Promise<{ readonly value: number; readonly more: boolean }> {
  if (chosen.only !== undefined) {
    const { runs } = await listRuns(store, chosen, { limit: 1 });
    return { value: runs.length, more: false };
  }
  const { count, more } = await store.countRuns({ ...chosen, most: MOST_COUNTED });
  return { value: count, more };
}
