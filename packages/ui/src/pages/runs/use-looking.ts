/**
 * Searches runs under a selective filter: one request scans a limited number of runs, and may find none. The
 * next requests then follow automatically for a while. The user sees the progress, can stop it, or can let it
 * go on.
 *
 *     idle ── a page without a run ──► looking ── found one, or the end ──► idle
 *     looking ── stopped, refused, or the limit of requests ──► resting ── go on ──► looking
 */
import { useEffect, useState } from 'react';
import { useEffectWhen } from '../../data/when.ts';

/** Limit of automatic requests. */
const BY_ITSELF = 20;

/** The list, page by page. */
interface Pages {
  readonly data:
    | { readonly pages: readonly { readonly runs: readonly unknown[]; readonly next: string | null }[] }
    | undefined;
  readonly isPlaceholderData: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly refused: Error | null;
  fetchNextPage(): unknown;
}

/** How far it is, and what can be done about it. */
export interface Looking {
  readonly state: 'idle' | 'looking' | 'resting';
  /** The number of the run up to which there was none; undefined when idle. */
  readonly end: number | undefined;
  stop(): void;
  goOn(): void;
}

/** Looks on while pages bring nothing; `key` is another with every filter. */
export function useLooking(pages: Pages, key: string): Looking {
  const { isPlaceholderData, hasNextPage, isFetchingNextPage, refused, fetchNextPage } = pages;
  const [allowed, setAllowed] = useState(BY_ITSELF);
  // Another filter is looked for again.
  useEffectWhen(() => setAllowed(BY_ITSELF), [key]);
  const list = (!isPlaceholderData && pages.data?.pages) || [];
  const fruitless = list.length - 1 - list.findLastIndex(({ runs }) => runs.length > 0);
  const open = !isPlaceholderData && hasNextPage && fruitless > 0;
  // A request that is refused at once would otherwise repeat forever.
  const looks = open && fruitless < allowed && !refused;
  useEffect(() => {
    if (looks && !isFetchingNextPage) void fetchNextPage();
  }, [looks, isFetchingNextPage, fetchNextPage]);
  const next = list.at(-1)?.next;
  const asks = next ? new URL(next, location.href).searchParams : undefined;
  return {
    state: looks ? 'looking' : open ? 'resting' : 'idle',
    end: open && asks ? Number(asks.get('after') ?? asks.get('before')) : undefined,
    stop: () => setAllowed(0),
    goOn: () => setAllowed(fruitless + BY_ITSELF),
  };
}
