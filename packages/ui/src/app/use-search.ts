/** The query of the present address as the values of a page's fields, and a way to change it. */
import { useMatch, useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { useMemoWhen } from '../data/when.ts';
import { useText } from '../i18n/text.tsx';
import { notify } from '../parts/notices.tsx';
import { formatQuery, readSearch, type SearchFields, type SearchOf } from './search-fields.ts';

/** Changes some values; undefined takes one out. Typing and filters replace, steps that Back should undo push. */
export type SetSearch<Fields> = (
  change: { readonly [Name in keyof SearchOf<Fields>]?: SearchOf<Fields>[Name] | string | undefined },
  options?: { readonly push?: boolean },
) => void;

/** Reads and changes the query; what does not fit is dropped with a notice that names it. */
export function useSearch<Fields extends SearchFields>(
  fields: Fields,
): [SearchOf<Fields>, SetSearch<Fields>] {
  const text = useText();
  const router = useRouter();
  const navigate = useNavigate();
  // From the page's own match: the router's address is already that of the next page while this one is still
  // shown.
  const raw = useMatch({ strict: false, select: (match) => match.search as Record<string, string> });
  const page = useMatch({ strict: false, select: ({ id }) => id });
  const query = formatQuery(raw);
  // The query changes exactly when its parts do.
  const { search, dropped } = useMemoWhen(() => readSearch(fields, raw), [fields, query]);
  useEffect(() => {
    if (dropped.length === 0) return;
    notify(text('search.dropped', { names: dropped.join(', ') }));
    void navigate({ to: '.', search: written(fields, search) as never, replace: true });
  }, [dropped, fields, navigate, search, text]);
  // Merged into the address at that time, so that two changes in quick succession are both kept.
  const set = useCallback<SetSearch<Fields>>(
    (change, { push = false } = {}) => {
      // A user who has left for another page, or is about to, takes no search of this page along.
      if (router.matchRoutes(router.latestLocation).at(-1)?.id !== page) return;
      const next = (now: Record<string, string>) => ({
        ...written(fields, readSearch(fields, now).search),
        ...written(fields, change),
      });
      void navigate({ to: '.', search: next as never, replace: !push });
    },
    [fields, navigate, page, router],
  );
  return [search, set];
}

function written(
  fields: SearchFields,
  search: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(search))
    texts[name] =
      value === undefined || typeof value === 'string' ? value : fields[name].write(value as never);
  return texts;
}
