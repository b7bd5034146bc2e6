/** Getting an operation through although the server may be away for a while. */
import { isRegistryError } from '../errors.ts';
import { join } from '../path.ts';
import type { Registry, WatchEvent } from '../registry.ts';

/**
 * Repeats an operation that fails as `away` when the link is back, and every third of the session timeout. It ends
 * with the answer, with another error, or with `session-lost`. The operation has to find out itself whether an earlier
 * try was made.
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
  // Away from the start: then only the timer tells when to try.
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
      // The link may have come back between the failure and here.
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

/** Creates missing entries from the top down to `path`, permanent and empty. Existing ones stay as they are. */
export async function ensure(registry: Registry, path: string): Promise<void> {
  if (path === '/' || (await registry.get(path))) return;
  const names = path.slice(1).split('/');
  for (const [k] of names.entries())
    await registry.create(join('/', ...names.slice(0, k + 1)), '').catch((error) => {
      if (!isRegistryError(error, 'exists')) throw error;
    });
}
