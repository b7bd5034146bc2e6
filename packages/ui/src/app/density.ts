/** The height of rows as the style sheets know it: on the page before anything is drawn by it. */
import { chosenPreferences, preferences } from '../data/preferences.ts';

/** Sets it and follows what is chosen; before the first draw, so that lists never measure what is about to change. */
export function followDensity(): void {
  const apply = () => {
    document.documentElement.dataset.density = preferences().density;
  };
  apply();
  chosenPreferences.subscribe(apply);
}
