/** A shared value that outlives the page in the browser, and that all its tabs see change. */
import { type Shared, share } from './shared.ts';

/** Keeps a value under a key; what was written by hand or by an older build is read by `read`. */
export function keep<T>(key: string, read: (stored: unknown) => T): Shared<T> {
  const shared = share(read(stored(key)));
  globalThis.addEventListener?.('storage', (event) => {
    if (event.key === key) shared.set(read(stored(key)));
  });
  return {
    ...shared,
    set(value) {
      try {
        localStorage.setItem(key, JSON.stringify(value));
      } catch {
        // Private windows and full disks: the value lives as long as the page.
      }
      shared.set(value);
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
