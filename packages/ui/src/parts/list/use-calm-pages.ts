import { useEffect, useMemo, useState } from 'react';
import { drawnIds, inOrder } from '../../model/calm.ts';

/** The drawn rows of a list, in order. */
interface Drawn {
  readonly list: string;
  readonly pages: number;
  readonly ids: ReadonlySet<string>;
}

/**
 * Rows of a paged list that do not move: new rows wait until the user asks for them, and rows that would have
 * moved stay. `list` identifies the list; `idOf` must be stable.
 */
export function useCalmPages<Row>(
  all: readonly Row[],
  pages: number,
  list: string,
  idOf: (row: Row) => string,
) {
  const [before, setBefore] = useState<Drawn>({ list, pages, ids: new Set() });
  const ids = useMemo(() => {
    const given = all.map(idOf);
    return before.list === list ? drawnIds(before.ids, given, pages > before.pages) : new Set(given);
  }, [all, pages, list, before, idOf]);
  useEffect(() => {
    setBefore((now) =>
      now.list === list && now.pages === pages && now.ids === ids ? now : { list, pages, ids },
    );
  }, [list, pages, ids]);
  const calm = useMemo(() => inOrder([...ids], all, idOf), [all, ids, idOf]);
  return {
    ...calm,
    showNew: () => setBefore({ list, pages, ids: new Set(all.map(idOf)) }),
  };
}
