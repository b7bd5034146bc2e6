/**
 * Effect hooks that run only when the listed values change, whatever else they read. React's own hooks list
 * everything they read: prefer those unless running more often would be wrong, such as moving a scroll
 * position that the user has changed since. Effects always read the values of the latest render.
 */
import { type EffectCallback, useEffect, useLayoutEffect, useRef } from 'react';

function isSame(one: readonly unknown[] | null, other: readonly unknown[]): boolean {
  return one !== null && one.length === other.length && one.every((value, k) => Object.is(value, other[k]));
}

function useWhen(hook: typeof useEffect, effect: EffectCallback, values: readonly unknown[]): void {
  const seen = useRef<readonly unknown[] | null>(null);
  const undo = useRef<ReturnType<EffectCallback>>(undefined);
  hook(() => {
    if (isSame(seen.current, values)) return;
    undo.current?.();
    seen.current = values;
    undo.current = effect();
  });
  hook(
    () => () => {
      undo.current?.();
      undo.current = undefined;
      seen.current = null;
    },
    [],
  );
}

/** An effect that is done at first and when one of the values is another. */
export function useEffectWhen(effect: EffectCallback, values: readonly unknown[]): void {
  useWhen(useEffect, effect, values);
}

/** The same before the page is painted. */
export function useLayoutEffectWhen(effect: EffectCallback, values: readonly unknown[]): void {
  useWhen(useLayoutEffect, effect, values);
}

/** A memoized value, computed again when one of the listed values changes. */
export function useMemoWhen<Value>(make: () => Value, values: readonly unknown[]): Value {
  const kept = useRef<{ readonly values: readonly unknown[]; readonly value: Value } | null>(null);
  if (!kept.current || !isSame(kept.current.values, values)) kept.current = { values, value: make() };
  return kept.current.value;
}
