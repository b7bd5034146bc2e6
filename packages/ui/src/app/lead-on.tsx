/** An address that redirects to another, which may have to be looked up. Back skips it. */
import { useQuery } from '@tanstack/react-query';
import { useMatch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { useGo } from './link.tsx';
import { NotFound } from './not-found.tsx';
import type { Lead } from './stand-ins.ts';

/** After this many tries without an answer, the user sees that the server is away. */
const TRIES_BEFORE_AWAY = 3;

/** `form` is the pattern of the address, as in `routes.tsx`. */
export function LeadOn({ form, find }: { form: string; find: Lead }) {
  // From its own match: the router's address is already that of the next page while this one is still shown.
  const parts = useMatch({ strict: false, select: ({ params }) => params as Parameters<Lead>[0] });
  const go = useGo();
  const { data, error, failureCount, failureReason, refetch } = useQuery({
    queryKey: ['lead on', form, parts],
    queryFn: () => find(parts),
  });
  useEffect(() => {
    if (data) go(data, { replace: true });
  }, [data, go]);
  if (data === null || error) return <NotFound />;
  if (failureCount >= TRIES_BEFORE_AWAY)
    return <ErrorPanel error={failureReason} retry={() => void refetch()} />;
  return <SkeletonRows />;
}
