/**
 * The runs of a filter, page by page: rows that do not move, their count, and the progress of a search for
 * rare ones.
 */
import { useEffect, useMemo } from 'react';
import { useApi, usePages } from '../../data/api.ts';
import { keepTrail } from '../../data/trail.ts';
import { isByDuration, type RunsFilter, type RunsOrder } from '../../model/runs.ts';
import { useCalmPages } from '../../parts/list/use-calm-pages.ts';
import type { RunRow } from './columns.tsx';
import { filterOf } from './runs-fields.ts';
import { useCalmRows } from './use-calm-rows.ts';
import { useLooking } from './use-looking.ts';

/** What the list shows. */
export type Runs = ReturnType<typeof useRuns>;

const idOf = ({ id }: RunRow) => String(id);
const none: readonly RunRow[] = [];

/** Reads and follows the runs of a filter. */
export function useRuns(filter: RunsFilter, order: RunsOrder) {
  const asked = order === undefined ? filter : { ...filter, order };
  const pages = usePages('listRuns', { ...(asked as object), count: true, limit: 100 });
  const all = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? [], [pages.data]);
  const key = JSON.stringify(asked);
  const newestFirst = order === undefined;
  const byTime = useCalmRows(all, filter, {
    settled: !pages.isPlaceholderData,
    newestFirst,
    refetch: pages.refetch,
  });
  // A run still running would climb past others with every answer.
  const climbs = isByDuration(order);
  const byDuration = useCalmPages(
    climbs ? all : none,
    climbs ? (pages.data?.pages.length ?? 0) : 0,
    `${key} ${pages.isPlaceholderData}`,
    idOf,
  );
  const calm = climbs
    ? { rows: byDuration.rows, fresh: byDuration.waiting, showNew: byDuration.showNew }
    : byTime;
  useEffect(() => keepTrail(calm.rows.map(({ id }) => id)), [calm.rows]);
  const looking = useLooking(pages, key);
  // From the filter, including the previous one while its rows are still drawn; sorting does not make a new
  // list.
  const list = JSON.stringify([filter, filterOf((pages.data?.pageParams[0] ?? {}) as RunsFilter)]);
  return { ...calm, pages, looking, list, order, total: pages.data?.pages[0]?.count };
}

/** The newest run and the total count without the filter; requested only while wanted. */
export function useUnfiltered(wanted: boolean) {
  const { data } = useApi('listRuns', wanted ? { count: true, limit: 1 } : null);
  return { newest: data?.runs[0]?.id, total: data?.count };
}
