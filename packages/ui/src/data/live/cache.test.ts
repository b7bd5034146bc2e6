import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveCache, type LiveCache } from './cache.ts';
import type { Hub } from './hub.ts';
import type { LiveEvent } from './rules.ts';

const row = (id: number, state: string, revision = 1) => ({ id, state, revision });
const change = (id: number, state: string, version = 2) =>
  ({ topic: 'runs', kind: 'run', id, version, patch: { id, state } }) as unknown as LiveEvent;

let tell: Parameters<Hub['onUpdate']>[0];
let queries: QueryClient;
let cache: LiveCache;
let hidden: boolean;
let shown: () => void;
const key = ['listRuns', {}];
const rows = () => queries.getQueryData<{ runs: unknown[] }>(key)?.runs;
const frame = (...events: LiveEvent[]) => tell({ kind: 'frame', seq: '1', events });

beforeEach(() => {
  vi.useFakeTimers();
  queries = new QueryClient();
  const hub = {
    onUpdate: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  } as unknown as Hub;
  hidden = false;
  cache = createLiveCache(queries, hub, Date.now, {
    hidden: () => hidden,
    onShown: (listener) => {
      shown = listener;
      return () => {};
    },
  });
  queries.setQueryData(key, { runs: [row(1, 'running'), row(2, 'running')], next: null });
});
afterEach(() => {
  cache.stop();
  vi.useRealTimers();
});

describe('live changes', () => {
  it('are applied together after 100 ms; rows that did not change keep their identity', () => {
    const before = rows();
    frame(change(1, 'pausing'));
    frame(change(1, 'paused', 3));
    vi.advanceTimersByTime(99);
    expect(rows()).toBe(before);
    vi.advanceTimersByTime(1);
    expect(rows()).toMatchObject([{ id: 1, state: 'paused' }, { id: 2 }]);
    expect(rows()?.[1]).toBe(before?.[1]);
  });

  it('that are older than what is shown do nothing', () => {
    queries.setQueryData(key, { runs: [row(1, 'success', 9)], next: null });
    frame(change(1, 'running', 8));
    vi.advanceTimersByTime(100);
    expect(rows()).toMatchObject([{ state: 'success' }]);
  });

  it('wait while frozen and come when thawed', () => {
    frame(change(2, 'failed'));
    // That is collected still, and waits with what comes after.
    cache.freeze(true);
    const before = rows();
    frame(change(1, 'failed'));
    vi.advanceTimersByTime(5_000);
    expect([rows(), cache.waiting()]).toEqual([before, 2]);
    expect(before).toMatchObject([{ state: 'running' }, {}]);
    cache.freeze(false);
    vi.advanceTimersByTime(0);
    expect(rows()).toMatchObject([{ state: 'failed' }, {}]);
  });

  it('wait while nobody sees the tab and come when it is seen', () => {
    frame(change(2, 'failed'));
    hidden = true;
    const before = rows();
    vi.advanceTimersByTime(100);
    frame(change(1, 'failed'));
    vi.advanceTimersByTime(60_000);
    expect(rows()).toBe(before);
    hidden = false;
    shown();
    vi.advanceTimersByTime(0);
    expect(rows()).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
  });

  it('that wait in great number are let go, and what is shown is read again', () => {
    const reads = vi.spyOn(queries, 'invalidateQueries');
    hidden = true;
    for (let k = 0; k < 600; k++) frame(...Array.from({ length: 10 }, () => change(1, 'failed')));
    expect(cache.waiting()).toBeLessThan(5_000);
    expect(reads).not.toHaveBeenCalled();
    hidden = false;
    shown();
    vi.advanceTimersByTime(0);
    expect(reads.mock.calls[0]?.[0]).toHaveProperty('predicate');
  });

  it('reach each page of a list', () => {
    queries.setQueryData(key, {
      pages: [{ runs: [row(1, 'running')] }, { runs: [row(2, 'running')] }],
      pageParams: [1, 2],
    });
    frame(change(2, 'failed'));
    vi.advanceTimersByTime(100);
    expect(queries.getQueryData(key)).toMatchObject({
      pages: [{ runs: [{ state: 'running' }] }, { runs: [{ state: 'failed' }] }],
    });
  });

  it('that came while an answer was under way are in it', () => {
    const askedAt = Date.now();
    frame(change(1, 'failed'));
    expect(cache.catchUp(key, { runs: [row(1, 'running')] }, askedAt)).toMatchObject({
      runs: [{ state: 'failed' }],
    });
    expect(cache.catchUp(key, { runs: [row(1, 'running')] }, askedAt + 1)).toMatchObject({
      runs: [{ state: 'running' }],
    });
  });
});

describe('what a change does not say', () => {
  it('is read at once and once more later, since a server may keep an answer for a moment', () => {
    queries.setQueryData(['showOverview', {}], {});
    const reads = vi.spyOn(queries, 'invalidateQueries');
    frame(change(1, 'failed'));
    vi.advanceTimersByTime(100);
    expect(reads).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(500);
    expect(reads).toHaveBeenCalledTimes(2);
    // The last read comes longer after the change than a server keeps anything.
    vi.advanceTimersByTime(1_000);
    expect(reads).toHaveBeenCalledTimes(4);
    vi.advanceTimersByTime(20_000);
    expect(reads).toHaveBeenCalledTimes(4);
  });

  it.each([
    ['a change', () => frame(change(1, 'failed'))],
    ['a gap', () => tell({ kind: 'resync', seq: '2' })],
  ])('is read again also where %s came while the first answer was under way', (_, happens) => {
    const askedAt = Date.now();
    happens();
    vi.advanceTimersByTime(2_000);
    const reads = vi.spyOn(queries, 'invalidateQueries');
    const first = ['showOverview', {}];
    queries.setQueryData(first, cache.catchUp(first, { needs: [] }, askedAt));
    vi.advanceTimersByTime(500);
    expect(reads.mock.calls[0]?.[0]).toMatchObject({ queryKey: first });
    vi.advanceTimersByTime(20_000);
    const all = reads.mock.calls.length;
    cache.catchUp(first, { needs: [] }, Date.now());
    vi.advanceTimersByTime(20_000);
    expect(reads).toHaveBeenCalledTimes(all);
  });

  it('waits until the tab is seen where it came for nobody', () => {
    const askedAt = Date.now();
    frame(change(1, 'failed'));
    vi.advanceTimersByTime(2_000);
    hidden = true;
    const reads = vi.spyOn(queries, 'invalidateQueries');
    cache.catchUp(['showOverview', {}], { needs: [] }, askedAt);
    vi.advanceTimersByTime(20_000);
    expect(reads).not.toHaveBeenCalled();
    hidden = false;
    shown();
    vi.advanceTimersByTime(0);
    expect(reads).toHaveBeenCalled();
  });

  it.each([
    ['showOverview', 500],
    ['listNodes', 2_000],
  ])('is read again at the pace of %s, and everything after a resync', async (operation, pace) => {
    let asked = 0;
    const queryKey = [operation, {}];
    const observer = queries.getQueryCache().build(queries, { queryKey, queryFn: () => ++asked });
    await observer.fetch();
    const stop = queries.getQueryCache().subscribe(() => {});
    observer.addObserver({ options: {}, onQueryUpdate: () => {} } as never);
    const node = { topic: 'cluster', kind: 'node', id: 'm', version: 1, patch: {} } as unknown as LiveEvent;
    const reads = vi.spyOn(queries, 'invalidateQueries');
    for (let second = 0; second < 10; second++) {
      for (let k = 0; k < 5; k++) frame(node);
      vi.advanceTimersByTime(1_000);
    }
    expect(reads.mock.calls.length).toBeGreaterThanOrEqual(10_000 / pace - 2);
    expect(reads.mock.calls.length).toBeLessThanOrEqual(10_000 / pace + 2);
    tell({ kind: 'resync', seq: '2' });
    vi.advanceTimersByTime(0);
    expect(reads.mock.calls.at(-1)?.[0]).toHaveProperty('predicate');
    stop();
  });
});
