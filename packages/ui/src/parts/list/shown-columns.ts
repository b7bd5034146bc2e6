/** Which columns of a list are shown: kept in the browser. */
import { keep } from '../../data/kept.ts';
import { useShared } from '../../data/shared.ts';

/** Stores the choice of one list; `usual` are the columns shown by default. */
export function keepColumns(list: string, usual: readonly string[]) {
  const shown = keep<readonly string[]>(`orrery.${list}.columns`, (stored) =>
    Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : usual,
  );
  /** The columns that are shown, and a switch for each. */
  return function useShownColumns(): [readonly string[], (name: string) => void] {
    const names = useShared(shown);
    return [
      names,
      (name) => shown.set(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]),
    ];
  };
}
