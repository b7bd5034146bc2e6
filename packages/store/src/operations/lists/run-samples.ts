/**
 * Samples of a filter with too many runs to inspect: a bounded count, and every n-th run. Charts of a million
 * runs are made from these.
 */
import type { Operation } from '../../operation.ts';
import type { RunFilter } from './run-conditions.ts';
import { atPlaces, type Search, textFor } from './run-filter.ts';

/** Runs inspected for an estimate. */
const SAMPLES = 5_000;

/** Number of rows a search would inspect, counted up to its limit, and the newest of them. */
export function* sizeOf(
  search: Search,
  filter: RunFilter,
): Operation<{ readonly count: number; readonly newest: number }> {
  const sizes = yield* atPlaces<{ count: number; high: number | null }>(
    search,
    filter,
    (dialect) =>
      `SELECT count(*) AS count, max(id) AS high FROM (
         SELECT id ${textFor(search.from, dialect)} WHERE ${search.condition} AND id < k.before AND id >= k.low
         ORDER BY id DESC LIMIT k.most) w`,
    { most: search.most + 1 },
  );
  return {
    count: sizes.reduce((sum, { count }) => sum + count, 0),
    newest: Math.max(0, ...sizes.map(({ high }) => high ?? 0)),
  };
}

/**
 * Inspects every `step`th run, from the first selected one to the newest, and applies the remaining
 * conditions to each.
 */
export function* samplesOf<T>(
  search: Search,
  filter: RunFilter,
  newest: number,
  { columns, tail }: { readonly columns: string; readonly tail: string },
): Operation<{ readonly found: readonly T[]; readonly step: number }> {
  const low = Math.max(1, search.low);
  const step = Math.max(1, Math.ceil((newest - low) / Math.min(SAMPLES, search.most)));
  // Each sample is a place of its own, so the step is passed as a place.
  const series = {
    sqlite: `(WITH RECURSIVE s(id) AS (SELECT k.low UNION ALL SELECT id + k.place FROM s WHERE id + k.place < k.before)
      SELECT id FROM s) s`,
    postgres: 'generate_series(k.low, k.before - 1, k.place) AS s(id)',
  };
  const found = yield* atPlaces<T>(
    { ...search, places: [step], low, high: newest },
    filter,
    (dialect) =>
      `SELECT ${columns} FROM (SELECT run.* FROM ${series[dialect]} JOIN run ON run.id = s.id) w
       WHERE 1 = 1${search.rest} ${tail}`,
    { before: newest + 1, low, most: 0 },
  );
  return { found, step };
}
