import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { FeedPosition, Self, Store } from '../index.ts';
import { changeOf, commit, fieldsOf, joinMaster, startRuns } from '../testing.ts';

describe.each(testDatabases())('the feed on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let run: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    [run] = await startRuns(store, self);
  });
  afterAll(close);

  const event = (text: string) => changeOf(run, { event: text });
  const read = (position?: FeedPosition, limit = 100) => store.readFeed({ position, limit });
  const bodies = async (position: FeedPosition, limit?: number) =>
    (await read(position, limit)).events.map(({ body }) => body);

  it('gives what came after a position, in order, and where it stands then', async () => {
    const start = await read();
    expect(start).toMatchObject({ events: [], resync: false });
    await commit(store, self, event('a'));
    await commit(store, self, event('b'));
    const next = await read(start.position);
    expect(next.events.map(({ topic, subject, body }) => [topic, subject, body])).toEqual([
      ['run', run, 'a'],
      ['run', run, 'b'],
    ]);
    expect(await bodies(next.position)).toEqual([]);
    await commit(store, self, event('c'));
    expect(await bodies(next.position)).toEqual(['c']);
    expect(await bodies(start.position)).toEqual(['a', 'b', 'c']);
  });

  it('goes on where a full page ended', async () => {
    const { position } = await read();
    for (const text of ['a', 'b', 'c']) await commit(store, self, event(text));
    const page = await read(position, 2);
    expect(page.events.map(({ body }) => body)).toEqual(['a', 'b']);
    expect(await bodies(page.position, 2)).toEqual(['c']);
  });

  it('holds the events of every writer, each in its own order', async () => {
    const { position } = await read();
    const other = await joinMaster(store, 'm2');
    const [its] = await startRuns(store, other);
    await commit(store, other, changeOf(its, { event: 'x' }));
    await commit(store, self, event('a'));
    const next = await read(position);
    const joined = JSON.stringify({ id: 'm2', what: 'joined' });
    expect(next.events.map(({ body }) => body).sort()).toEqual(['a', 'x', joined].sort());
    expect(next.resync).toBe(false);
    const again = await joinMaster(store);
    await store.claimInboxes({ self: again, limit: 9 });
    await commit(store, again, event('b'));
    expect((await bodies(next.position)).at(-1)).toBe('b');
  });

  it('numbers the changes of a run across its owners', async () => {
    const { position } = await read();
    await commit(store, self, changeOf(run, { fields: fieldsOf('running'), event: 'a' }));
    await commit(store, self, changeOf(run, { event: 'b' }));
    const next = await joinMaster(store);
    await store.claimInboxes({ self: next, limit: 9 });
    await commit(store, next, changeOf(run, { fields: fieldsOf('running'), event: 'c' }));
    const { events } = await read(position);
    const of = (body: string) => events.find((entry) => entry.body === body)?.revision ?? 0;
    expect(of('a')).toBeGreaterThan(0);
    expect(of('b')).toBe(of('a'));
    expect(of('c')).toBeGreaterThan(of('b'));
  });

  it('does not count what was rolled back', async () => {
    const { position } = await read();
    await expect(commit(store, self, event('a'), changeOf(999_999))).rejects.toThrow();
    await commit(store, self, event('b'));
    expect(await read(position)).toMatchObject({ events: [{ body: 'b' }], resync: false });
  });

  it('asks for a fresh start when a position is older than what is kept', async () => {
    const { position: old } = await read();
    const at = (now: number, text: string) => store.commitRuns({ self, changes: [event(text)], now });
    await at(1_000, 'a');
    const { position: recent } = await read(old);
    await at(2_000, 'b');
    const { position: newest } = await read(recent);
    expect(await store.sweepEvents({ before: 1_500, limit: 100 })).toBe(1);
    expect(await bodies(recent)).toEqual(['b']);
    expect(await read(old)).toMatchObject({ events: [], resync: true });
    expect(await store.sweepEvents({ before: 9_000_000, limit: 100 })).toBeGreaterThan(0);
    expect((await read(recent)).resync).toBe(true);
    const current = await read(newest);
    expect(current).toMatchObject({ events: [], resync: false });
    await at(3_000, 'c');
    expect(await bodies(current.position)).toEqual(['c']);
  });

  it('forgets a writer that is over with its last event, and then asks for a fresh start', async () => {
    const { position } = await read();
    const next = await joinMaster(store);
    await store.sweepEvents({ before: 9_000_000, limit: 100 });
    const answer = await read(position);
    expect(answer.resync).toBe(true);
    expect(Object.keys(answer.position)).toEqual([`${next.epoch}@m1`]);
    expect((await read(answer.position)).resync).toBe(false);
  });
});
