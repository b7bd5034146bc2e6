/** What a person set for the console: kept in the browser, so that the first paint already has it. */
import { type Language, languages, negotiate } from '../i18n/languages.ts';
import { type ZoneChoice, zoneChoices } from '../model/time.ts';
import { keep } from './kept.ts';
import { useShared } from './shared.ts';

const themes = ['system', 'light', 'dark'] as const;
const densities = ['compact', 'comfortable'] as const;

/** Everything that can be set. */
export interface Preferences {
  readonly theme: (typeof themes)[number];
  readonly language: Language;
  readonly zone: ZoneChoice;
  readonly density: (typeof densities)[number];
  readonly navFolded: boolean;
  /** Keys without a modifier act; some people's speech input types them by accident. */
  readonly singleKeys: boolean;
  /** Empty: all projects. */
  readonly project: string;
  /** Workflows shown on the first page, `project/name`. */
  readonly watched: readonly string[];
}

const oneOf = <T extends string>(values: readonly T[], value: unknown, usual: T): T =>
  values.find((known) => known === value) ?? usual;

function read(stored: unknown): Preferences {
  const given = (typeof stored === 'object' && stored !== null ? stored : {}) as Partial<
    Record<keyof Preferences, unknown>
  >;
  return {
    theme: oneOf(themes, given.theme, 'system'),
    language: oneOf(languages, given.language, negotiate(globalThis.navigator?.languages ?? [])),
    zone: oneOf(zoneChoices, given.zone, 'browser'),
    density: oneOf(densities, given.density, 'compact'),
    navFolded: given.navFolded === true,
    singleKeys: given.singleKeys !== false,
    project: typeof given.project === 'string' ? given.project : '',
    watched: Array.isArray(given.watched) ? given.watched.filter((name) => typeof name === 'string') : [],
  };
}

const preferences = keep('orrery.preferences', read);

/** What is set now. */
export function usePreferences(): Preferences {
  return useShared(preferences);
}

/** Sets some of it. */
export function setPreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
}
