/**
 * Applies live changes to the cached answers. Changes are collected for 100 ms and applied together. Answers
 * that must be read again are read at most as often as their rule allows. In a hidden or frozen tab changes
 * wait; if too many wait, the shown answers are read again instead.
 */
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import type { InputOf, OperationId } from '../client.ts';
import type { Hub } from './hub.ts';
import { applyEvent, isLive as hasRule, type LiveEvent, PartOf, paceOf } from './rules.ts';

const COLLECT = 100;
/** An answer that was read this long after a change shows it. */
const SETTLED = 1_500;
/** How long changes are kept for answers that were requested before them and arrive after them. */
const REMEMBERED = 30_000;
const MOST_REMEMBERED = 5_000;
/** Beyond this many changes, reading the shown answers again is cheaper. */
const MOST_WAITING = 5_000;

/** Whether the tab can be seen. */
export interface Sight {
  hidden(): boolean;
  /** Calls whenever the tab comes into view; the answer ends that. */
  onShown(listener: () => void): () => void;
}

/** Pages of a list are kept together under one key. */
interface Pages {
  readonly pages: readonly object[];
}

/** The changes of one page. */
export interface LiveCache {
  /** Applies later changes to an answer that was requested at this time. */
  catchUp<Answer>(key: QueryKey, answer: Answer, askedAt: number): Answer;
  /** While frozen, changes wait and nothing is read again; afterwards everything is. */
  freeze(frozen: boolean): void;
  isFrozen(): boolean;
  /** Count of waiting changes, because of a freeze or a hidden tab. */
  waiting(): number;
  stop(): void;
}

export function createLiveCache(queries: QueryClient, hub: Hub, now: () => number, sight: Sight): LiveCache {
  let collected: LiveEvent[] = [];
  let recent: { readonly at: number; readonly events: readonly LiveEvent[] }[] = [];
  let remembered = 0;
  let frozen = false;
  /** Changes that waited were let go. */
  let missed = false;
  /** When the stream last reported omitted changes. */
  let leftOutAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changedAt = new Map<string, number>();
  const readLater = new Map<string, ReturnType<typeof setTimeout>>();

  const unsubscribe = hub.onUpdate((update) => {
    if (update.kind === 'resync') {
      collected = [];
      missed = true;
      leftOutAt = now();
    } else if (update.kind === 'frame') {
      collected.push(...update.events);
      remember(update.events);
    } else return;
    if (collected.length > MOST_WAITING) {
      collected = [];
      missed = true;
    }
    if (!waits()) timer ??= setTimeout(apply, update.kind === 'resync' ? 0 : COLLECT);
  });
  const unwatch = sight.onShown(() => {
    if (!frozen && (missed || collected.length > 0)) timer ??= setTimeout(apply, 0);
  });

  function waits() {
    return frozen || sight.hidden();
  }

  function remember(events: readonly LiveEvent[]) {
    recent.push({ at: now(), events });
    remembered += events.length;
    const old = recent.findIndex(({ at }) => at > now() - REMEMBERED);
    const cut = remembered > MOST_REMEMBERED ? Math.max(old, Math.ceil(recent.length / 2)) : old;
    if (cut <= 0) return;
    recent = recent.slice(cut);
    remembered = recent.reduce((sum, entry) => sum + entry.events.length, 0);
  }

  function apply() {
    timer = undefined;
    if (waits()) return;
    if (missed) readAll();
    missed = false;
    const events = collected;
    collected = [];
    for (const query of queries.getQueryCache().getAll()) {
      if (query.state.data === undefined || !isLive(query.queryKey)) continue;
      const { data, stale } = changed(query.queryKey, query.state.data, events);
      if (data !== query.state.data)
        queries.setQueryData(query.queryKey, data, { updatedAt: query.state.dataUpdatedAt });
      if (stale) readAgain(query.queryHash, query.queryKey);
    }
  }

  /** At once, and again until a read came well after the last change: servers keep some answers for a second. */
  function readAgain(hash: string, key: QueryKey) {
    changedAt.set(hash, now());
    if (readLater.has(hash)) return;
    read(key);
    readOnceMore(hash, key);
  }

  /** A little later, for the answer that is not new enough is not even there yet. */
  function readWhenSeen(key: QueryKey) {
    const hash = hashKey(key);
    changedAt.set(hash, now());
    if (waits()) missed = true;
    else if (!readLater.has(hash)) readOnceMore(hash, key);
  }

  function readOnceMore(hash: string, key: QueryKey) {
    const again = () => {
      readLater.delete(hash);
      read(key);
      if (now() - (changedAt.get(hash) ?? 0) < SETTLED) readOnceMore(hash, key);
    };
    readLater.set(hash, setTimeout(again, paceOf(key[0] as string)));
  }

  function read(key: QueryKey) {
    if (!frozen) void queries.invalidateQueries({ queryKey: key, exact: true }, { cancelRefetch: false });
  }

  function readAll() {
    if (!frozen) void queries.invalidateQueries({ predicate: ({ queryKey }) => isLive(queryKey) });
  }

  return {
    catchUp(key, answer, askedAt) {
      if (!isLive(key)) return answer;
      const since = recent.filter(({ at }) => at >= askedAt).flatMap(({ events }) => events);
      const { data, stale } = changed(key, answer, since);
      if (stale || leftOutAt >= askedAt) readWhenSeen(key);
      return data;
    },
    freeze(next) {
      frozen = next;
      clearTimeout(timer);
      timer = frozen || collected.length === 0 ? undefined : setTimeout(apply, 0);
      readAll();
    },
    isFrozen: () => frozen,
    waiting: () => collected.length,
    stop() {
      unsubscribe();
      unwatch();
      clearTimeout(timer);
      for (const later of readLater.values()) clearTimeout(later);
    },
  };
}

function isLive(key: QueryKey): boolean {
  return hasRule(key[0] as string);
}

/** Applies changes to an answer, or to each page of a list. */
function changed<Data>(
  key: QueryKey,
  data: Data,
  events: readonly LiveEvent[],
): { data: Data; stale: boolean } {
  const [id, input] = key as readonly [OperationId, InputOf<OperationId>];
  let stale = false;
  const applied = <Answer>(answer: Answer): Answer => {
    let present = answer;
    for (const event of events) {
      const effect = applyEvent(id, input, present as never, event);
      if (effect === 'stale' || effect instanceof PartOf) stale = true;
      if (effect !== 'stale') present = (effect instanceof PartOf ? effect.answer : effect) as Answer;
    }
    return present;
  };
  if (!isPages(data)) return { data: applied(data), stale };
  const pages = data.pages.map(applied);
  return { data: pages.every((page, at) => page === data.pages[at]) ? data : { ...data, pages }, stale };
}

function isPages(data: unknown): data is Pages {
  return typeof data === 'object' && data !== null && 'pages' in data && 'pageParams' in data;
}
