/**
 * The project that the console is narrowed to. The address of a list holds it (`project=`). Pages of one
 * thing keep that of the previous list, so that the navigation leads back to it. It is stored nowhere else.
 */
import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { share, useShared } from '../data/shared.ts';
import { pages } from './routes.tsx';
import { formatQuery } from './search-fields.ts';

const before = share('');

const isList = (path: string) => pages.some(({ path: known, nav }) => nav && known === path);

/** Its name; undefined for all of them. */
export function useProject(): string | undefined {
  const here = useRouterState({
    select: ({ location: { pathname, search } }) =>
      isList(pathname) ? String((search as { project?: string }).project ?? '') : null,
  });
  const last = useShared(before);
  useEffect(() => {
    if (here !== null) before.set(here);
  }, [here]);
  return (here ?? last) || undefined;
}

/** Narrows the address of a navigation page to the present project; other addresses stay unchanged. */
export function useNarrowed(): (path: string) => string {
  const project = useProject();
  return (path) => (isList(path) ? `${path}${formatQuery({ project })}` : path);
}
