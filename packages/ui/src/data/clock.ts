/** The present, once a second for every counter on the page; nothing ticks while the page is hidden. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function turn() {
  now = Date.now();
  for (const listener of listeners) listener();
}

function keepTurning() {
  const wanted = listeners.size > 0 && document.visibilityState === 'visible';
  if (wanted && timer === undefined) {
    timer = setInterval(turn, 1_000);
    turn();
  }
  if (!wanted && timer !== undefined) {
    clearInterval(timer);
    timer = undefined;
  }
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', keepTurning);
  listeners.add(listener);
  if (timer === undefined) keepTurning();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', keepTurning);
    keepTurning();
  };
}

/** The present time, new every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** The next whole step from now, for what need not be drawn again every second. */
export function useNowInSteps(step: number): number {
  return useSyncExternalStore(subscribe, () => Math.ceil(now / step) * step);
}
