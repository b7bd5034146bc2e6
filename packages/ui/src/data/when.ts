/**
 * Hooks for what is done when some values change, whatever else it reads. React's own ask for everything that is read:
 * use those unless doing it more often would be wrong, such as moving a scroll position that a person has changed since.
 * What is read is always that of the latest drawing.
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

/** A value that is made at first and again when one of the values is another. */
export function useMemoWhen<Value>(make: () => Value, values: readonly unknown[]): Value {
  const kept = useRef<{ readonly values: readonly unknown[]; readonly value: Value } | null>(null);
  if (!kept.current || !isSame(kept.current.values, values)) kept.current = { values, value: make() };
  return kept.current.value;
}
