/** A lock granted in the order of requests. It is freed when its holder's session ends. */
import type { Operation, Registry } from '../registry.ts';
import { goneError, Place } from './place.ts';

/** A held lock: valid until `release`, or until `isHeld` is false. */
export interface HeldLock {
  /** Whether the lock is held and the session is within its deadline. */
  readonly isHeld: boolean;
  /** First step of every transaction made under the lock. */
  readonly check: Operation;
  release(): Promise<void>;
}

/**
 * Waits for the lock at `path`. `signal` stops the wait; a lost session ends it with `session-lost`. `lost`
 * is called when a held lock is lost without `release`.
 */
export async function acquireLock(
  registry: Registry,
  path: string,
  { signal, lost }: { readonly signal?: AbortSignal; readonly lost?: () => void } = {},
): Promise<HeldLock> {
  signal?.throwIfAborted();
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  let isReleased = false;
  const place = await Place.take(registry, path, '', (state) => {
    if (state === 'first') settle?.resolve();
    else if (settle) settle.reject(goneError(registry, path));
    else if (!isReleased) lost?.();
  });
  const waiting = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
    if (place.state === 'first') resolve();
    if (place.state === 'gone') reject(goneError(registry, path));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted) reject(signal.reason);
  });
  try {
    await waiting;
  } catch (error) {
    settle = undefined;
    isReleased = true;
    await place.leave();
    throw error;
  }
  settle = undefined;
  return {
    get isHeld() {
      return place.isFirst;
    },
    check: place.check,
    release() {
      isReleased = true;
      return place.leave();
    },
  };
}
