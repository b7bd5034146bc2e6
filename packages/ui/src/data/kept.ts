/** A value that components share, that outlives the page in the browser, and that all tabs see change. */
import { useSyncExternalStore } from 'react';

/** A shared value; setting it tells every component and every tab. */
export interface Kept<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

/** Keeps a value under a key; what was written by hand or by an older build is read by `read`. */
export function keep<T>(key: string, read: (stored: unknown) => T): Kept<T> {
  const listeners = new Set<() => void>();
  let value = read(stored(key));
  const tell = () => {
    for (const listener of listeners) listener();
  };
  globalThis.addEventListener?.('storage', (event) => {
    if (event.key !== key) return;
    value = read(stored(key));
    tell();
  });
  return {
    get: () => value,
    set(next) {
      value = next;
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Private windows and full disks: the value lives as long as the page.
      }
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** The present value, followed. */
export function useKept<T>(kept: Kept<T>): T {
  return useSyncExternalStore(kept.subscribe, kept.get);
}
