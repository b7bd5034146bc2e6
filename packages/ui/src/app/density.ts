/** The height of rows as the style sheets know it: on the page before anything is drawn by it. */
import { chosenPreferences, preferences } from '../data/preferences.ts';

/**
 * Sets the density and follows the preference. Called before the first render, so that lists never measure a
 * stale density.
 */
export function followDensity(): void {
  const apply = () => {
    document.documentElement.dataset.density = preferences().density;
  };
  apply();
  chosenPreferences.subscribe(apply);
}
