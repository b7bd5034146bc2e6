import { useEffect, useMemo, useState } from 'react';
import { hub } from '../../data/api.ts';
import { isListed, type RunsFilter } from '../../model/runs.ts';
import type { RunRow } from './columns.tsx';

/**
 * Rows that hold still: the list shows what was there when it was opened or last asked for, changed in place. Runs
 * that were created since are counted until somebody wants to see them.
 */
export function useCalmRows(all: readonly RunRow[], filter: RunsFilter, refetch: () => Promise<unknown>) {
  const [newest, setNewest] = useState<number>();
  const [fresh, setFresh] = useState<ReadonlySet<number>>(new Set());
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list
  useEffect(() => {
    setNewest(undefined);
    setFresh(new Set());
  }, [key]);
  const top = newest ?? all[0]?.id;
  useEffect(() => {
    if (newest === undefined && all.length > 0) setNewest(all[0].id);
  }, [newest, all]);
  useEffect(() => {
    return hub.onUpdate((update) => {
      if (update.kind !== 'frame') return;
      const found = update.events.flatMap((event) =>
        event.kind === 'run' && event.topic === 'runs' && isListed(filter, event.patch)
          ? [event.patch.id]
          : [],
      );
      if (found.length > 0) setFresh((known) => new Set([...known, ...found]));
    });
  }, [filter]);
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
      setFresh(new Set());
      setNewest(undefined);
    },
  };
}
