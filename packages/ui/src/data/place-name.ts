/** The title and breadcrumbs of the present page, provided by the page and shown by the shell. */
import { share, useShared } from './shared.ts';

interface PlaceName {
  readonly title: string;
  readonly crumbs: readonly { readonly label: string; readonly to?: string }[];
}

const present = share<PlaceName>({ title: '', crumbs: [] });

/** Names the present page, also in the window's title. */
export function setPlaceName(name: PlaceName): void {
  document.title = name.title === '' ? 'Orrery' : `${name.title} · Orrery`;
  present.set(name);
}

/** The name of the present page. */
export function usePlaceName(): PlaceName {
  return useShared(present);
}
