/**
 * What a person set, kept with the server too, so that every browser of theirs has it:
 *
 *     same ── set here ──► saving ── saved ──► same
 *     same ── the server has another ──► taken over ──► same
 *
 * What both had last is remembered, so that what was set right before a reload is saved after it. A browser that never had
 * both the same takes over what the server has. A save that was refused is not tried again until something else is set.
 */
import { useRef, useState } from 'react';
import { queries, useApi } from './api.ts';
import { call } from './client.ts';
import { keep } from './kept.ts';
import { type Chosen, changeOf, chosenPreferences, readChosen } from './preferences.ts';
import { useShared } from './shared.ts';
import { useEffectWhen } from './when.ts';

/** Where they are among the preferences that the server keeps. */
const KEY = 'console';

/** What this browser knows the server by, as texts: what both had last, and what was sent since. */
const known = keep('orrery.preferences.known', (stored): readonly string[] =>
  Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [],
);

/** Keeps both the same while the console is open; the shell calls it once. */
export function usePreferencesSync(): void {
  const { data: me } = useApi('showMe', {});
  const chosen = useShared(chosenPreferences);
  const busy = useRef(false);
  const refused = useRef<string>(undefined);
  const [saves, setSaves] = useState(0);
  // Checked again after each save.
  useEffectWhen(() => {
    if (!me || busy.current) return;
    const kept = me.preferences[KEY];
    const saved = readChosen(kept);
    const [ours, theirs] = [text(chosen), text(saved)];
    if (ours === theirs) known.set([ours]);
    else if (kept !== undefined && !known.get().includes(theirs)) {
      known.set([theirs]);
      chosenPreferences.set(saved);
    } else if (ours !== refused.current) {
      busy.current = true;
      known.set([theirs, ours]);
      void save(changeOf(saved, chosen)).then((done) => {
        busy.current = false;
        if (done) known.set([ours]);
        refused.current = done ? undefined : ours;
        setSaves((before) => before + 1);
      });
    }
  }, [me, chosen, saves]);
}

/** Saves what was set here, and nothing that another browser may have set meanwhile; whether it did. */
async function save(change: Chosen): Promise<boolean> {
  try {
    await call('changePreferences', { body: { [KEY]: { ...change } as never } });
    await queries.invalidateQueries({ queryKey: ['showMe'] });
    return true;
  } catch {
    return false;
  }
}

function text(chosen: Chosen): string {
  return JSON.stringify(chosen);
}
