import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../index.ts';
import { commandOf, NOW, publish } from '../../testing.ts';

describe.each(testDatabases())('answers kept under a key on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  const claim = (claim: string, before = 0, now = NOW) =>
    store.claimKey({ key: 'publish k', claim, before, now });
  const keep = (claim: string, answer: string) =>
    store.keepAnswer({ key: 'publish k', claim, answer, now: NOW });

  it('are those of the first request, until they are swept', async () => {
    expect(await claim('one')).toEqual({ claim: 'one' });
    expect(await claim('two')).toEqual({ claim: 'one' });
    expect(await keep('two', 'of two')).toBe(false);
    expect(await keep('one', 'of one')).toBe(true);
    expect(await claim('three', NOW + 1)).toEqual({ answer: 'of one' });
    expect(await store.sweepKeys({ before: NOW + 1, limit: 10 })).toBe(1);
    expect(await claim('four')).toEqual({ claim: 'four' });
  });

  it('are claimed by one of many who ask at the same moment', async () => {
    const seen = await Promise.all(Array.from({ length: 20 }, (_, k) => claim(`c${k}`)));
    expect(new Set(seen.map((state) => JSON.stringify(state))).size).toBe(1);
  });

  it('are claimed by another where the first refuses, or is not heard of any more', async () => {
    await claim('one');
    await store.freeKey({ key: 'publish k', claim: 'one' });
    expect(await claim('two')).toEqual({ claim: 'two' });
    await store.renewClaim({ key: 'publish k', claim: 'two', now: NOW + 10 });
    expect(await claim('three', NOW + 10)).toEqual({ claim: 'two' });
    expect(await claim('three', NOW + 11)).toEqual({ claim: 'three' });
    await store.freeKey({ key: 'publish k', claim: 'two' });
    expect(await keep('two', 'too late')).toBe(false);
    expect(await keep('three', 'of three')).toBe(true);
  });

  it('are not mixed up with the keys that runs were started by', async () => {
    const command = commandOf(await publish(store));
    await claim('one');
    await keep('one', 'of one');
    expect((await store.submitCommand({ command, key: 'k', now: NOW })).repeated).toBe(false);
    expect(await claim('two')).toEqual({ answer: 'of one' });
  });
});
