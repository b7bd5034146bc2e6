/** A value that components share and follow; for what belongs to the page and not to one component. */
import { useSyncExternalStore } from 'react';

/** A shared value. */
export interface Shared<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

/** Creates a shared value; setting it notifies its subscribers. */
export function share<T>(initial: T): Shared<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The present value, followed. */
export function useShared<T>(shared: Shared<T>): T {
  return useSyncExternalStore(shared.subscribe, shared.get);
}
