/** The workflows that someone keeps on Home. */
import { setPreferences, usePreferences } from '../../data/preferences.ts';

/** Tells whether a workflow, by its full name, is watched on Home, and watches or unwatches it. */
export function useWatch() {
  const { watched } = usePreferences();
  const isWatched = (name: string) => watched.includes(name);
  return {
    isWatched,
    toggle: (name: string) =>
      setPreferences({
        watched: isWatched(name) ? watched.filter((other) => other !== name) : [...watched, name],
      }),
  };
}
