import { useEffect, useMemo, useRef, useState } from 'react';
import { hub, sight } from '../../data/api.ts';
import { useEffectWhen } from '../../data/when.ts';
import { isListed, type RunsFilter } from '../../model/runs.ts';
import type { RunRow } from './columns.tsx';

/** New runs are counted up to here; nobody reads further. */
const MOST_COUNTED = 10_000;
const COUNT_EVERY = 250;
/** How soon after a new run a list without any is asked for again. */
const READ_AFTER = 1_000;

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
  // Another filter is another list.
  useEffectWhen(() => {
    setNewest(undefined);
    fresh.clear();
  }, [key]);
  // New runs come last where the oldest are first: there they move nothing.
  const top = newestFirst ? (newest ?? all[0]?.id) : undefined;
  const latest = useRef(top);
  latest.current = top;
  const isEmpty = useRef(false);
  isEmpty.current = settled && all.length === 0;
  useEffect(() => {
    if (settled && newest === undefined && all.length > 0) setNewest(all[0].id);
  }, [settled, newest, all]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reading: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setCounted(fresh.size);
    };
    const read = () => {
      reading = undefined;
      void refetch();
    };
    const unsubscribe = hub.onUpdate((update) => {
      if (update.kind !== 'frame') return;
      for (const event of update.events)
        if (event.kind === 'run' && event.topic === 'runs' && isListed(filter, event.patch)) {
          if (event.patch.id > (latest.current ?? Number.POSITIVE_INFINITY) && fresh.size < MOST_COUNTED)
            fresh.add(event.patch.id);
          // Where nothing is listed there is nothing that could move: what comes is shown.
          if (isEmpty.current) reading ??= setTimeout(read, READ_AFTER);
        }
      if (!sight.hidden()) timer ??= setTimeout(show, COUNT_EVERY);
    });
    const unwatch = sight.onShown(show);
    return () => {
      clearTimeout(timer);
      clearTimeout(reading);
      unsubscribe();
      unwatch();
    };
  }, [filter, fresh, refetch]);
  const rows = useMemo(() => (top === undefined ? all : all.filter(({ id }) => id <= top)), [all, top]);
  const known = useMemo(() => new Set(rows.map(({ id }) => id)), [rows]);
  const waiting = new Set(
    [...fresh, ...all.map(({ id }) => id)].filter((id) => id > (top ?? 0) && !known.has(id)),
  );
  return {
    rows,
    fresh: top === undefined ? 0 : waiting.size,
    showNew: async () => {
      const waited = [...fresh];
      await refetch();
      // Those that came while the answer was under way may not be in it, and go on waiting.
      for (const id of waited) fresh.delete(id);
      setNewest(undefined);
    },
  };
}
