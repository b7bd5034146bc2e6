import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ByDuration, RunFilter, RunList, Self, Store } from '../../index.ts';
import {
  changeOf,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinMaster,
  NOW,
  publish,
} from '../../testing.ts';

describe.each(testDatabases())('runs by how long they took on $name', ({ open, close }) => {
  let store: Store;
  let self: Self;
  let a: number;
  let b: number;
  beforeEach(async () => {
    store = await open();
    self = await joinMaster(store);
    a = await publish(store, 'a');
    b = await publish(store, 'b');
  });
  afterAll(close);

  const sort = (filter: RunFilter, more: Partial<ByDuration & RunList> = {}) =>
    store.sortRuns({
      ...{ filter, queued: true, claimed: true, shortest: false, now: NOW + 10_000, limit: 50 },
      ...more,
    });
  const ids = async (filter: RunFilter, more: Partial<ByDuration & RunList> = {}) => {
    const page = await sort(filter, more);
    return 'most' in page ? page : page.ids;
  };
  const submit = async (workflow: number, count: number) =>
    store.submitCommands({ commands: Array.from({ length: count }, () => commandOf(workflow)), now: NOW });
  const claim = () => claimStarts(store, self, 1_000);
  /** Runs begin when they are claimed, at `NOW`. */
  const ran = (run: number, took: number) =>
    commit(store, self, changeOf(run, { fields: fieldsOf('success'), endedAt: NOW + took }));

  it('are sorted either way; what still runs counts up to now, what has not started comes last', async () => {
    const [short, long, open, twin, other] = [...(await submit(a, 4)), ...(await submit(b, 1))];
    await claim();
    const [first, second] = await submit(a, 2);
    await ran(short, 1_000);
    await ran(long, 60_000);
    await ran(twin, 1_000);
    await ran(other, 5_000);
    const last = [second, first];
    expect(await ids({})).toEqual([long, open, other, twin, short, ...last]);
    expect(await ids({}, { shortest: true })).toEqual([twin, short, other, open, long, ...last]);
    expect(await ids({}, { now: NOW + 4_000 })).toEqual([long, other, open, twin, short, ...last]);
    expect(await ids({ workflows: [a], states: ['success'] }, { queued: false })).toEqual([
      long,
      twin,
      short,
    ]);
    // Of open runs those of other workflows are left out afterwards.
    expect(await ids({ workflows: [a], states: ['running'] }, { queued: false })).toEqual([open]);
    expect(await ids({ workflows: [b], states: ['running'] }, { queued: false })).toEqual([]);
    expect(await ids({ workflows: [b, a] }, { limit: 3 })).toEqual([long, open, other]);
    const page = await sort({ workflows: [a] });
    expect('most' in page ? page : [page.runs.length, page.queued.length]).toEqual([4, 2]);
  });

  it('go on after a run, also after one that is no longer among them', async () => {
    const runs = await submit(a, 5);
    await claim();
    for (const [k, run] of runs.entries()) await ran(run, 1_000 * (k + 1));
    for (const shortest of [false, true]) {
      const order = shortest ? runs : runs.toReversed();
      const seen: number[] = [];
      let past: number | undefined;
      do {
        const page = await sort({}, { shortest, past, limit: 2 });
        if ('most' in page) throw new Error('too many');
        seen.push(...page.ids);
        past = page.next;
      } while (past !== undefined);
      expect(seen).toEqual(order);
    }
    expect(await ids({}, { before: runs[3] })).toEqual([runs[2], runs[1], runs[0]]);
    const longer = { duration: { least: 3_000 }, now: NOW };
    expect(await ids(longer, { past: runs[2] })).toEqual([]);
    expect(await ids({ duration: { most: 2_000 }, now: NOW }, { past: runs[2] })).toEqual([runs[1], runs[0]]);
  });

  it('are not sorted where too many would have to be looked at; a filter that an index serves helps', async () => {
    for (let k = 0; k < 2; k++) await submit(a, 5_100);
    while ((await claim()).length > 0);
    const [one] = await submit(b, 1);
    await claim();
    expect(await ids({})).toEqual({ most: 10_000 });
    expect(await ids({ triggers: ['tick'] })).toEqual({ most: 10_000 });
    expect(await ids({ workflows: [b] })).toEqual([one]);
    expect(await ids({ workflows: [a], states: ['failed'] })).toEqual([]);
  });

  it('are not sorted where too many wait', async () => {
    await submit(a, 2_000);
    expect(await ids({})).toEqual({ most: 10_000 });
    expect(await ids({}, { queued: false })).toEqual([]);
  });
});
