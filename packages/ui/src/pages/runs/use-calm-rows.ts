import { useEffect, useMemo, useRef, useState } from 'react';
import { hub, sight } from '../../data/api.ts';
import { useEffectWhen } from '../../data/when.ts';
import { isListed, type RunsFilter } from '../../model/runs.ts';
import type { RunRow } from './columns.tsx';

/** Limit of the count of new runs: higher numbers mean nothing to users. */
const MOST_COUNTED = 10_000;
const COUNT_EVERY = 250;
/** Delay after a new run before an empty list is read again. */
const READ_AFTER = 1_000;

/**
 * Rows that do not move: the list shows the runs that existed when it was opened or last refreshed, updated
 * in place. Runs created since are counted until the user wants to see them. While rows still belong to the
 * previous filter, nothing counts as new.
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
      // Runs created while the answer was in flight may be missing from it, and keep waiting.
      for (const id of waited) fresh.delete(id);
      setNewest(undefined);
    },
  };
}
