/** A lock that is given in the order in which it was asked for. A holder whose session ends frees it. */
import type { Operation, Registry } from '../registry.ts';
import { goneError, Place } from './place.ts';

/** A lock that is held: until `release`, or until `isHeld` says otherwise. */
export interface HeldLock {
  /** Whether it is held and the session has not passed its deadline. */
  readonly isHeld: boolean;
  /** The first step of every transaction that is made under the lock. */
  readonly check: Operation;
  release(): Promise<void>;
}

/**
 * Waits for the lock at `path`. `signal` gives up waiting; a lost session ends it with `session-lost`. `lost` is called
 * when a lock that is held goes without `release`.
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
