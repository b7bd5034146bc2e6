/**
 * What a person set for the console: kept in the browser, so that the first paint already has it, and with the server
 * (`preferences-sync.ts`). Only what was set is kept; the rest is as usual, and as the browser asks for.
 */
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
  /** Workflows shown on the first page, `project/name`. */
  readonly watched: readonly string[];
}

/** Some of it. */
export type Chosen = Partial<Preferences>;

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (value: unknown): T | undefined =>
    values.find((known) => known === value);
const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

/** How each is read from what was kept; undefined where it does not fit. */
const readers: { readonly [Name in keyof Preferences]: (value: unknown) => Preferences[Name] | undefined } = {
  theme: oneOf(themes),
  language: oneOf(languages),
  zone: oneOf(zoneChoices),
  density: oneOf(densities),
  navFolded: flag,
  singleKeys: flag,
  watched: (value) => (Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined),
};

/** What was set, from what was kept by hand, by another build or by another browser; always in the same order. */
export function readChosen(stored: unknown): Chosen {
  if (typeof stored !== 'object' || stored === null) return {};
  const given = stored as Record<string, unknown>;
  const entries = Object.entries(readers).map(([name, reader]) => [name, reader(given[name])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What of it was set to something else than before. */
export function changeOf(before: Chosen, chosen: Chosen): Chosen {
  const isOther = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof Chosen]);
  return Object.fromEntries(Object.entries(chosen).filter(isOther));
}

function withUsual(chosen: Chosen): Preferences {
  return {
    theme: 'system',
    language: negotiate(globalThis.navigator?.languages ?? []),
    zone: 'browser',
    density: 'compact',
    navFolded: false,
    singleKeys: true,
    watched: [],
    ...chosen,
  };
}

/** What a person set, shared by all tabs. */
export const chosenPreferences = keep('orrery.preferences', readChosen);

let effective = { chosen: chosenPreferences.get(), all: withUsual(chosenPreferences.get()) };

/** The current preferences; renders again when they change. */
export function usePreferences(): Preferences {
  useShared(chosenPreferences);
  return preferences();
}

/** The current preferences. */
export function preferences(): Preferences {
  const chosen = chosenPreferences.get();
  // One object for all that ask, so that it is another one only when something is.
  if (effective.chosen !== chosen) effective = { chosen, all: withUsual(chosen) };
  return effective.all;
}

/** Sets some of it. */
export function setPreferences(change: Chosen): void {
  chosenPreferences.set(readChosen({ ...chosenPreferences.get(), ...change }));
}
