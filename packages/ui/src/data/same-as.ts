/**
 * The present page, and the focused thing on it, as a request and as a command. The page provides them, the
 * shell copies them.
 */
import { type FocusEvent, useEffect } from 'react';
import { quoted } from '../model/again.ts';
import { useApi } from './api.ts';
import { base } from './client.ts';
import { share, useShared } from './shared.ts';

/** The same as the page shows, elsewhere. */
export interface SameAs {
  /** Below `/api/v1`, with its query. */
  readonly request?: string;
  /** A line for a terminal. */
  readonly command?: string;
}

const none: SameAs = {};
const present = share<SameAs>(none);

/** Tells it while the page is shown. */
export function useTellSame({ request, command }: SameAs): void {
  useEffect(() => {
    present.set({ request, command });
    return () => present.set(none);
  }, [request, command]);
}

/** Something on a page that can be taken elsewhere by itself. */
export interface Thing extends SameAs {
  readonly name: string;
  /** Where it is in the console. */
  readonly address: string;
}

interface Focused {
  readonly thing: Thing;
  /** The focused element: its removal moves the focus without an event. */
  readonly element?: Element;
}

const focused = share<Focused | null>(null);

/** Tells the row of a list that is the current one. */
export function useTellCurrent(thing: Thing | undefined): void {
  const { name, address, request, command } = thing ?? {};
  useEffect(() => {
    if (name === undefined || address === undefined) return;
    focused.set({ thing: { name, address, request, command } });
    return () => focused.set(null);
  }, [name, address, request, command]);
}

/** For an element: tells the thing it shows as long as the focus is within. */
export function tellInFocus(thing: Thing) {
  return {
    onFocus: ({ currentTarget }: FocusEvent) => focused.set({ thing, element: currentTarget }),
    onBlur: () => focused.set(null),
  };
}

/** The page's own request and command. */
export function useSame(): SameAs {
  return useShared(present);
}

/** The focused thing; null if there is nothing to copy for it. */
export function useFocused(): Thing | null {
  const now = useShared(focused);
  return now && now.element?.isConnected !== false ? now.thing : null;
}

/**
 * Formats a request as a curl command; if sign-in is required, with the token variable of the command line.
 */
export function useCurl(): (request: string) => string {
  const { data: me } = useApi('showMe', {});
  const token = me?.signedIn ? '-H "Authorization: Bearer $ORRERY_TOKEN" ' : '';
  return (request) => `curl -s ${token}${quoted(`${base}/api/v1${request}`)}`;
}
