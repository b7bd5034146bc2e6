import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WithEarly } from './early.ts';

const address = 'http://here/api/v1/me';
const get = { method: 'GET' };

/** The module again, with one answer that was asked for before it was there. */
async function withAnswer(answer: Promise<Response>) {
  vi.resetModules();
  (globalThis as WithEarly).orreryEarly = {
    answers: new Map([[address, { answer, control: new AbortController() }]]),
    channel: undefined,
    heard: [],
  };
  return import('./early.ts');
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { baseURI: 'http://here/' });
  vi.stubGlobal('fetch', async () => new Response('now'));
});
afterEach(() => {
  delete (globalThis as WithEarly).orreryEarly;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('an answer that was asked for before the scripts were there', () => {
  it('is taken by the first who asks, and is then as old as the page', async () => {
    const { fetchOrTake, askedAt } = await withAnswer(Promise.resolve(new Response('early')));
    expect(askedAt()).toBe(performance.timeOrigin);
    expect(await (await fetchOrTake(address, get)).text()).toBe('early');
    expect(askedAt()).toBe(Date.now());
    expect(await (await fetchOrTake(address, get)).text()).toBe('now');
  });

  it('is let go when nobody has taken it: whoever asks minutes later is not answered with it', async () => {
    const { fetchOrTake, askedAt } = await withAnswer(Promise.resolve(new Response('early')));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(askedAt()).toBe(Date.now());
    expect(await (await fetchOrTake(address, get)).text()).toBe('now');
  });

  it('is waited for as long as it is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { fetchOrTake } = await withAnswer(promise);
    await vi.advanceTimersByTimeAsync(60_000);
    const taken = fetchOrTake(address, get);
    resolve(new Response('early'));
    expect(await (await taken).text()).toBe('early');
  });
});
