import { useEffect, useMemo, useState } from 'react';
import { drawnIds } from '../../model/calm.ts';
import { nameOf, type Row } from './row.ts';

/** What is drawn of a list. */
interface Drawn {
  readonly list: string;
  readonly pages: number;
  readonly ids: ReadonlySet<string>;
}

/** Rows that hold still: workflows that came since wait until somebody wants to see them. `list` tells lists apart. */
export function useCalmWorkflows(all: readonly Row[], pages: number, list: string) {
  const [before, setBefore] = useState<Drawn>({ list, pages, ids: new Set() });
  const ids = useMemo(() => {
    const names = all.map(nameOf);
    return before.list === list ? drawnIds(before.ids, names, pages > before.pages) : new Set(names);
  }, [all, pages, list, before]);
  useEffect(() => {
    setBefore((now) =>
      now.list === list && now.pages === pages && now.ids === ids ? now : { list, pages, ids },
    );
  }, [list, pages, ids]);
  const rows = useMemo(() => all.filter((row) => ids.has(nameOf(row))), [all, ids]);
  return {
    rows,
    waiting: all.length - rows.length,
    showNew: () => setBefore({ list, pages, ids: new Set(all.map(nameOf)) }),
  };
}
