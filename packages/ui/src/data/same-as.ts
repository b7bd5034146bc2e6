/** The present page as a request and as a command: told by the page, copied by the shell. */
import { useEffect } from 'react';
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

/** What the present page told. */
export function useSame(): SameAs {
  return useShared(present);
}

/** Gives a request as a line for a terminal; where one has to sign in, with the token that the command line uses too. */
export function useCurl(): (request: string) => string {
  const { data: me } = useApi('showMe', {});
  const token = me?.signedIn ? '-H "Authorization: Bearer $ORRERY_TOKEN" ' : '';
  return (request) => `curl -s ${token}${quoted(`${base}/api/v1${request}`)}`;
}
