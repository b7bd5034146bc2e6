/** Search hits in a log, found by the server: it has the whole log, this page only the part in view. */
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type AnswerOf, call } from '../../data/client.ts';

/** Hits so far, by line counted from 0, in order. */
export interface Hits {
  readonly lines: readonly number[];
  /** There are more than these. */
  readonly more: boolean;
  readonly pending: boolean;
  /** Why the rest of the hits is missing. */
  readonly error: Error | null;
  readonly readMore: () => void;
  /** Looks again after an error. */
  readonly retry: () => void;
}

type Answer = AnswerOf<'searchLog'>;

const PAGE = 1_000;
/** After this many tries without an answer the page reports the server away, while the tries go on. */
const TRIES_BEFORE_TOLD = 3;

interface HitOptions {
  /** Upper and lower case are different. */
  readonly exact?: boolean;
  /** The text is a regular expression. */
  readonly regex?: boolean;
  /** The size of the log; changes when it grows. */
  readonly size: number;
  /** Interval in milliseconds at which a growing log is searched again. */
  readonly every?: number;
}

/** Whether a query belongs to the same search, whatever the log's size was then. */
function isSame(key: readonly unknown[] | undefined, search: readonly unknown[]): boolean {
  return search.every((part, i) => part === key?.[i + 1]);
}

/** Searches an attempt's log; nothing is asked without a text. */
export function useHits(attempt: string | null, q: string, options: HitOptions): Hits {
  const { exact = false, regex = false, size, every } = options;
  const query = useInfiniteQuery<Answer, Error, InfiniteData<Answer>, readonly unknown[], string | undefined>(
    {
      queryKey: ['logHits', attempt, q, exact, regex, size],
      enabled: attempt !== null && q !== '',
      initialPageParam: undefined,
      // Of a log that has grown, but never of another search: its lines would be taken for what was looked for now.
      placeholderData: (known, before) =>
        isSame(before?.queryKey, [attempt, q, exact, regex]) ? known : undefined,
      refetchInterval: every,
      queryFn: ({ signal, pageParam }) =>
        call(
          'searchLog',
          { id: attempt ?? '', q, regex, ignoreCase: !exact, limit: PAGE, after: pageParam },
          { signal },
        ),
      getNextPageParam: ({ next }) =>
        next === null ? undefined : (new URL(next, 'http://next').searchParams.get('after') ?? undefined),
    },
  );
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, refetch } = query;
  const error = query.error ?? (query.failureCount >= TRIES_BEFORE_TOLD ? query.failureReason : null);
  const lines = useMemo(
    () =>
      q === ''
        ? []
        : [...new Set((data?.pages ?? []).flatMap(({ hits }) => hits.map(({ line }) => line - 1)))],
    [data, q],
  );
  // The server looks through a part at a time: on to the next until there is enough to show.
  const goesOn = q !== '' && hasNextPage && !isFetching && !error && lines.length < PAGE;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return {
    lines,
    more: q !== '' && hasNextPage,
    pending: isFetching || goesOn,
    error,
    readMore: () => void fetchNextPage(),
    retry: () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
  };
}
