/** The runs of a filter, page by page: rows that hold still, how many there are, and how far rare ones were looked for. */
import { useEffect, useMemo } from 'react';
import { useApi, usePages } from '../../data/api.ts';
import { keepTrail } from '../../data/trail.ts';
import type { RunsFilter, RunsOrder } from '../../model/runs.ts';
import { useCalmRows } from './use-calm-rows.ts';
import { useLooking } from './use-looking.ts';

/** What the list shows. */
export type Runs = ReturnType<typeof useRuns>;

/** Reads and follows the runs of a filter. */
export function useRuns(filter: RunsFilter, order: RunsOrder) {
  const asked = order === undefined ? filter : { ...filter, order };
  const pages = usePages('listRuns', { ...(asked as object), count: true, limit: 100 });
  const all = useMemo(() => pages.data?.pages.flatMap(({ runs }) => runs) ?? [], [pages.data]);
  const calm = useCalmRows(all, filter, {
    settled: !pages.isPlaceholderData,
    oldestFirst: order === 'oldest',
    refetch: pages.refetch,
  });
  useEffect(() => keepTrail(calm.rows.map(({ id }) => id)), [calm.rows]);
  const looking = useLooking(pages, JSON.stringify(asked));
  return { ...calm, pages, looking, order, total: pages.data?.pages[0]?.count };
}

/** The newest run of all, and how many there are, whatever the filter says; asked only while wanted. */
export function useUnfiltered(wanted: boolean) {
  const { data } = useApi('listRuns', wanted ? { count: true, limit: 1 } : null);
  return { newest: data?.runs[0]?.id, total: data?.count };
}
