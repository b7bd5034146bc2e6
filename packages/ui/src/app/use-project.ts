/**
 * The project that the console is narrowed to. The address of a list says it (`project=`); pages of one thing keep the
 * one of the list before them, so that the navigation leads back to it. Nothing else keeps it.
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

/** Gives the address of a page of the navigation as it is narrowed now; other addresses stay as they are. */
export function useNarrowed(): (path: string) => string {
  const project = useProject();
  return (path) => (isList(path) ? `${path}${formatQuery({ project })}` : path);
}
