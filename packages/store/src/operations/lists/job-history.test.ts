import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobEvent, Store } from '../../index.ts';

const round = (number: number, instance = 'a', at = number): JobEvent => ({
  kind: 'round',
  instance,
  number,
  at,
  body: { cause: 'tick' },
});

describe.each(testDatabases())('events of elastic jobs on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const record = (...events: JobEvent[]) =>
    store.recordJobEvents({ center: 'billing', job: 'settle', events });
  const list = (before?: number, limit = 10) =>
    store.listJobEvents({ center: 'billing', job: 'settle', before, limit });

  it('are kept once, whoever brings them', async () => {
    expect(await record(round(1), round(2), round(1, 'b', 5))).toBe(3);
    expect(await record(round(2), round(3, 'a', 9))).toBe(1);
    expect(await record()).toBe(0);
    const events = await list();
    expect(events.map(({ instance, number }) => `${instance}${number}`)).toEqual(['a3', 'b1', 'a2', 'a1']);
    expect(events[0]).toMatchObject({ kind: 'round', at: 9, unseen: 0, body: '{"cause":"tick"}' });
    const both = [round(4, 'a', 10), round(5, 'a', 11)];
    const kept = await Promise.all([record(...both), record(...both)]);
    expect(kept[0] + kept[1]).toBe(2);
  });

  it('say how many before them were not seen', async () => {
    await record(round(3));
    await record(round(4), round(8));
    expect((await list()).map(({ number, unseen }) => [number, unseen])).toEqual([
      [8, 3],
      [4, 0],
      [3, 2],
    ]);
  });

  it('are listed page by page, and those of another job apart', async () => {
    await record(round(1), round(2), round(3));
    await store.recordJobEvents({ center: 'billing', job: 'other', events: [round(1)] });
    const [first, second] = await list(undefined, 2);
    expect([first.number, second.number]).toEqual([3, 2]);
    expect((await list(second.id)).map(({ number }) => number)).toEqual([1]);
  });

  it('are deleted by age, a few at a time', async () => {
    await record(round(1, 'a', 100), round(2, 'a', 200), round(3, 'a', 300));
    expect(await store.sweepJobEvents({ before: 300, limit: 1 })).toBe(1);
    expect(await store.sweepJobEvents({ before: 300, limit: 9 })).toBe(1);
    expect((await list()).map(({ number }) => number)).toEqual([3]);
  });
});
