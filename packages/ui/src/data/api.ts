/**
 * The server for components: `useApi` reads and follows, `usePages` a list page by page, `useAction` changes
 * something. Keys of the cache are the operation and its input; live changes come in by themselves.
 */
import { ApiProblem, watch } from '@orrery/sdk/client';
import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { askedAt, hearTabs, tabs, tabsHere } from '../first/early.ts';
import { type AnswerOf, call, client, type InputOf, type OperationId } from './client.ts';
import { createLiveCache, type Sight } from './live/cache.ts';
import { createHub } from './live/hub.ts';
import { topicsOf } from './live/rules.ts';
import { createTabLocks } from './live/tab-locks.ts';

/**
 * The position from which a stream misses no change of the first answer; every answer carries its own
 * position.
 */
let firstSeq: string | undefined;
const onHeaders = (headers: Headers) => {
  firstSeq ??= headers.get('orrery-seq') ?? undefined;
};

/**
 * Caches answers by operation and input. A refusal is final; while the server is away, requests are retried.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 1_000,
      retry: (_, error) => !(error instanceof ApiProblem) || error.status === 503,
      retryDelay: (tried) => Math.min(500 * 2 ** tried, 15_000),
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
});

const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');

/** The stream of changes, one for all tabs of this browser. */
export const hub = createHub({
  locks:
    navigator.locks ?? (tabs && createTabLocks(new BroadcastChannel(`${tabsHere} locks`), tab, Date.now)),
  channel: tabs,
  name: tabsHere,
  tab,
  now: Date.now,
  first: () => firstSeq,
  watch: (topics, options) => watch(client, topics, options),
});

/** Whether this tab is visible; a hidden page need not be drawn. */
export const sight: Sight = {
  hidden: () => document.visibilityState === 'hidden',
  onShown(listener) {
    const look = () => document.visibilityState === 'visible' && listener();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  },
};

/** What the stream does to the answers. */
export const liveCache = createLiveCache(queries, hub, Date.now, sight);
hearTabs();
sight.onShown(hub.toFront);
// The server is back: retries unanswered requests now, not at their next scheduled try.
hub.onState((state) => {
  if (state === 'live')
    void queries.refetchQueries({ predicate: (query) => query.state.fetchFailureCount > 0 });
});

interface ApiOptions {
  /** Ask again this often, for what no live topic tells. */
  readonly every?: number;
  /** Keeps the old answer, dimmed, while the next input loads. */
  readonly keep?: boolean;
}

/** Reads an answer and follows it while shown; a null input asks nothing. */
export function useApi<Id extends OperationId>(id: Id, input: InputOf<Id> | null, options: ApiOptions = {}) {
  const query = useQuery<AnswerOf<Id>>({
    queryKey: [id, input],
    enabled: input !== null,
    refetchInterval: options.every,
    placeholderData: options.keep ? (keepPreviousData as never) : undefined,
    queryFn: ({ signal, queryKey }) => read(id, input as InputOf<Id>, queryKey, signal),
  });
  useTopics(input === null ? [] : topicsOf(id, input));
  return withAway(query);
}

/** Reads an answer now. */
async function read<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  key: QueryKey,
  signal: AbortSignal,
): Promise<AnswerOf<Id>> {
  const shown = queries.getQueryData<AnswerOf<Id>>(key);
  if (liveCache.isFrozen() && shown !== undefined) return shown;
  const since = askedAt();
  const answer = await call(id, input, { signal, onHeaders });
  return liveCache.catchUp(key, answer, since);
}

/** Reads what the frame of every page shows, before there is a component that asks for it. */
export async function askFirst(): Promise<void> {
  const project = new URLSearchParams(location.search).get('project') ?? undefined;
  await Promise.all([prefetch('showMe', {}), prefetch('showOverview', { project })]);
}

function prefetch<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<void> {
  const queryKey = [id, input];
  return queries.prefetchQuery({ queryKey, queryFn: ({ signal }) => read(id, input, queryKey, signal) });
}

/** About three seconds of tries: then the page reports the server away, while the tries go on. */
const TRIES_BEFORE_AWAY = 3;

/**
 * The same result, whose `error` is set also while an unreachable server is being retried and nothing can be
 * shown.
 */
export function withAway<
  Result extends Readonly<Record<'error' | 'failureReason', Error | null>> & {
    data: unknown;
    failureCount: number;
  },
>(query: Result): Result {
  const away =
    query.data === undefined && query.failureCount >= TRIES_BEFORE_AWAY ? query.failureReason : null;
  // By inheritance, so that what a component does not read does not draw it again.
  return Object.create(query, { error: { value: query.error ?? away } });
}

/** Operations whose answers are pages of a list. */
export type PagedId = {
  [Id in OperationId]: AnswerOf<Id> extends { readonly next: string | null } ? Id : never;
}[OperationId];

/** Reads a list page by page; the next page is what the path `next` of the last one asks for. */
export function usePages<Id extends PagedId>(id: Id, input: InputOf<Id>, every?: number) {
  const query = useInfiniteQuery<
    AnswerOf<Id>,
    Error,
    InfiniteData<AnswerOf<Id>>,
    readonly unknown[],
    InputOf<Id>
  >({
    queryKey: [id, input],
    initialPageParam: input,
    refetchInterval: every,
    placeholderData: keepPreviousData as never,
    queryFn: async ({ signal, queryKey, pageParam }) => {
      const since = askedAt();
      const answer = await call(id, pageParam as InputOf<Id>, { signal, onHeaders });
      return liveCache.catchUp(queryKey, answer, since);
    },
    getNextPageParam: ({ next }: { readonly next: string | null }) =>
      next === null ? undefined : (pageAfter(input as object, next) as InputOf<Id>),
  });
  useTopics(topicsOf(id, input));
  return Object.assign(withAway(query), { refused: useRefused(query, JSON.stringify(input)) });
}

interface NextPage {
  readonly error: Error | null;
  readonly isFetchNextPageError: boolean;
  readonly isFetchingNextPage: boolean;
}

/**
 * Why there is no further page. Stays until someone asks for it again: a change of a row that is there already would
 * end the error, and a list at its end would ask with every change.
 */
function useRefused(
  { error, isFetchNextPageError, isFetchingNextPage }: NextPage,
  list: string,
): Error | null {
  const kept = useRef<{ readonly list: string; readonly error: Error }>(undefined);
  if (isFetchingNextPage || kept.current?.list !== list) kept.current = undefined;
  if (isFetchNextPageError && error && !isFetchingNextPage) kept.current = { list, error };
  return kept.current?.error ?? null;
}

/** The input of the page that a path asks for. */
function pageAfter(input: object, next: string): object {
  return { ...input, ...Object.fromEntries(new URL(next, 'http://page').searchParams) };
}

/** Listens to topics while shown. */
export function useTopics(topics: readonly string[]): void {
  const joined = topics.join();
  useEffect(() => (joined === '' ? undefined : hub.want(joined.split(','))), [joined]);
}

/** Changes something; what it may have changed is read again when it has answered. */
export function useAction<Id extends OperationId>(id: Id, changes: readonly OperationId[] = []) {
  return useMutation<AnswerOf<Id>, Error, InputOf<Id>>({
    mutationFn: (input) => call(id, input),
    onSuccess: () =>
      Promise.all(changes.map((operation) => queries.invalidateQueries({ queryKey: [operation] }))),
  });
}

/** Whether the viewer may call an operation; false until the right is loaded. */
export function useRight(id: OperationId): boolean {
  return useApi('showMe', {}).data?.rights.includes(id) ?? false;
}
