/** The workflows that someone keeps on Home. */
import { setPreferences, usePreferences } from '../../data/preferences.ts';

/** Says whether a workflow is kept there, by its full name, and puts it there or takes it away. */
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
