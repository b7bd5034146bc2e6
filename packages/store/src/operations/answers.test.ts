import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../index.ts';
import { commandOf, NOW, publish } from '../testing.ts';

describe.each(testDatabases())('answers kept under a key on $name', ({ open, close }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterAll(close);

  it('are those of the first request, until they are swept', async () => {
    expect(await store.readAnswer({ key: 'publish k' })).toBeUndefined();
    expect(await store.keepAnswer({ key: 'publish k', answer: 'one', now: NOW })).toBe(true);
    expect(await store.keepAnswer({ key: 'publish k', answer: 'two', now: NOW })).toBe(false);
    expect(await store.readAnswer({ key: 'publish k' })).toBe('one');
    expect(await store.sweepKeys({ before: NOW + 1, limit: 10 })).toBe(1);
    expect(await store.readAnswer({ key: 'publish k' })).toBeUndefined();
  });

  it('are not mixed up with the keys that runs were started by', async () => {
    const command = commandOf(await publish(store));
    await store.keepAnswer({ key: 'publish k', answer: 'one', now: NOW });
    expect((await store.submitCommand({ command, key: 'k', now: NOW })).repeated).toBe(false);
    expect(await store.readAnswer({ key: 'publish k' })).toBe('one');
  });
});
