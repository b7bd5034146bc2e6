/** The keys of the shell: going to pages, the palette, the list of keys, the zone of times. */
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { useText } from '../../i18n/text.tsx';
import { zoneChoices } from '../../model/time.ts';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { useGo } from '../link.tsx';
import { pages } from '../routes.tsx';
import { useNarrowed } from '../use-project.ts';

interface ShellKeys {
  openPalette(): void;
  openActions(): void;
  openKeys(): void;
  openCopy(): void;
  foldNav(): void;
}

export function useShellKeys({ openPalette, openActions, openKeys, openCopy, foldNav }: ShellKeys): void {
  const text = useText();
  const go = useGo();
  const narrowed = useNarrowed();
  const { zone } = usePreferences();
  const nextZone = zoneChoices[(zoneChoices.indexOf(zone) + 1) % zoneChoices.length];
  useKeys([
    ...pages.flatMap(({ path, nav }) =>
      nav
        ? [
            {
              keys: `g ${nav.key}`,
              label: text('keys.go', { page: text(nav.label) }),
              onlyKey: true,
              run: () => go(narrowed(path)),
            },
          ]
        : [],
    ),
    { keys: 'mod+k', label: text('palette.open'), onlyKey: true, run: openPalette },
    { keys: 'mod+b', label: text('nav.fold'), run: foldNav },
    { keys: '?', label: text('keys.title'), run: openKeys },
    { keys: 'u', label: text('keys.zone'), run: () => setPreferences({ zone: nextZone }) },
    { keys: '.', label: text('keys.actions'), onlyKey: true, run: openActions },
    { keys: 'c', label: text('keys.copy'), run: openCopy },
  ]);
}
