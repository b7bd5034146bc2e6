/** Completes an operation even if the server is away for a while. */
import { isRegistryError } from '../errors.ts';
import { join } from '../path.ts';
import type { Registry, WatchEvent } from '../registry.ts';

/**
 * Retries an operation that fails as `away` when the link is back, and every third of the session timeout.
 * Ends with the answer, another error, or `session-lost`. The operation itself must detect that an earlier
 * attempt succeeded.
 */
export async function persist<T>(registry: Registry, path: string, operation: () => Promise<T>): Promise<T> {
  const { session, clock } = registry;
  let signals = 0;
  let wake: (() => void) | undefined;
  const signal = () => {
    signals++;
    wake?.();
  };
  const resync = ({ type }: WatchEvent) => {
    if (type === 'resync') signal();
  };
  // Away from the start: then only the timer triggers retries.
  const watch = await registry.watch(path, 'entry', resync).catch((error) => {
    if (!isRegistryError(error, 'away')) throw error;
    return undefined;
  });
  const forget = session.onState(signal);
  try {
    for (;;) {
      const before = signals;
      try {
        return await operation();
      } catch (error) {
        if (!isRegistryError(error, 'away')) throw error;
      }
      // The link may have come back since the failure.
      if (signals !== before) continue;
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(session.timeout / 3, resolve);
        wake = () => {
          timer.cancel();
          resolve();
        };
      });
      wake = undefined;
    }
  } finally {
    watch?.stop();
    forget();
  }
}

/**
 * Creates missing entries from the top down to `path`, permanent and empty. Existing entries stay unchanged.
 */
export async function ensure(registry: Registry, path: string): Promise<void> {
  if (path === '/' || (await registry.get(path))) return;
  const names = path.slice(1).split('/');
  for (const [k] of names.entries())
    await registry.create(join('/', ...names.slice(0, k + 1)), '').catch((error) => {
      if (!isRegistryError(error, 'exists')) throw error;
    });
}
