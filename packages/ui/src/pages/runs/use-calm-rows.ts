import { useEffect, useMemo, useRef, useState } from 'react';
import { hub, sight } from '../../data/api.ts';
import { isListed, type RunsFilter } from '../../model/runs.ts';
import type { RunRow } from './columns.tsx';

/** New runs are counted up to here; nobody reads further. */
const MOST_COUNTED = 10_000;
const COUNT_EVERY = 250;

/**
 * Rows that hold still: the list shows what was there when it was opened or last asked for, changed in place. Runs
 * that were created since are counted until somebody wants to see them. Rows that are still those of the filter before
 * say nothing of what is new.
 */
export function useCalmRows(
  all: readonly RunRow[],
  filter: RunsFilter,
  {
    settled,
    newestFirst,
    refetch,
  }: { readonly settled: boolean; readonly newestFirst: boolean; refetch(): Promise<unknown> },
) {
  const [newest, setNewest] = useState<number>();
  /** Grows in place: with every frame of a busy engine a copy would be made of thousands. */
  const [fresh] = useState(() => new Set<number>());
  const [, setCounted] = useState(0);
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list
  useEffect(() => {
    setNewest(undefined);
    fresh.clear();
  }, [key]);
  // New runs come last where the oldest are first: there they move nothing.
  const top = newestFirst ? (newest ?? all[0]?.id) : undefined;
  const latest = useRef(top);
  latest.current = top;
  useEffect(() => {
    if (settled && newest === undefined && all.length > 0) setNewest(all[0].id);
  }, [settled, newest, all]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setCounted(fresh.size);
    };
    const unsubscribe = hub.onUpdate((update) => {
      if (update.kind !== 'frame') return;
      for (const event of update.events)
        if (event.kind === 'run' && event.topic === 'runs' && isListed(filter, event.patch))
          if (event.patch.id > (latest.current ?? Number.POSITIVE_INFINITY) && fresh.size < MOST_COUNTED)
            fresh.add(event.patch.id);
      if (!sight.hidden()) timer ??= setTimeout(show, COUNT_EVERY);
    });
    const unwatch = sight.onShown(show);
    return () => {
      clearTimeout(timer);
      unsubscribe();
      unwatch();
    };
  }, [filter, fresh]);
  const rows = useMemo(() => (top === undefined ? all : all.filter(({ id }) => id <= top)), [all, top]);
  const known = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const waiting = new Set(
    [...fresh, ...all.map(({ id }) => id)].filter((id) => id > (top ?? 0) && !known.has(id)),
  );
  return {
    rows,
    // Before anything is listed there is nothing that could move: what comes is shown at once.
    fresh: top === undefined ? 0 : waiting.size,
    showNew: async () => {
      await refetch();
      fresh.clear();
      setNewest(undefined);
    },
  };
}
