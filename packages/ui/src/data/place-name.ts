/** What the present page is called and the way to it, told by the page and shown by the shell. */
import { useSyncExternalStore } from 'react';

interface PlaceName {
  readonly title: string;
  readonly crumbs: readonly { readonly label: string; readonly to?: string }[];
}

let present: PlaceName = { title: '', crumbs: [] };
const listeners = new Set<() => void>();

/** Names the present page, also in the window's title. */
export function setPlaceName(name: PlaceName): void {
  present = name;
  document.title = name.title === '' ? 'Orrery' : `${name.title} · Orrery`;
  for (const listener of listeners) listener();
}

/** The name of the present page. */
export function usePlaceName(): PlaceName {
  return useSyncExternalStore(subscribe, () => present);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
