/** The frame around every page: navigation, header, the page itself, and the dialogs above it. */
import { Drawer } from '@mantine/core';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { usePlaceName } from '../../data/place-name.ts';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { usePreferencesSync } from '../../data/preferences-sync.ts';
import { useEffectWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import { useFocusPlace } from '../../parts/focus-back.ts';
import { useKeyboard } from '../../parts/keys/use-keys.ts';
import { CopyDialog } from '../copy-dialog.tsx';
import { KeyList } from '../key-list.tsx';
import { Palette } from '../palette/palette.tsx';
import { remember } from '../palette/recent.ts';
import { pages } from '../routes.tsx';
import { SignInAgain } from '../sign-in-again.tsx';
import { Header } from './header.tsx';
import { Nav } from './nav.tsx';
import { NewBuildBar } from './new-build-bar.tsx';
import styles from './shell.module.css';
import { useShellKeys } from './shell-keys.ts';

const WARM_AFTER = 2_000;

export function Shell() {
  const text = useText();
  const { navFolded } = usePreferences();
  const [open, setOpen] = useState<'palette' | 'actions' | 'keys' | 'copy' | 'nav' | null>(null);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const close = () => setOpen(null);
  useKeyboard();
  useFocusPlace();
  useShellKeys({
    openPalette: () => setOpen('palette'),
    openActions: () => setOpen('actions'),
    openKeys: () => setOpen('keys'),
    openCopy: () => setOpen('copy'),
    foldNav: () => setPreferences({ navFolded: !navFolded }),
  });
  useFocusOnNewPage(main, path, open !== null && open !== 'nav');
  useRemember();
  usePreferencesSync();
  useWarmPages();
  // The drawer closes when one has gone somewhere.
  useEffectWhen(() => setOpen((now) => (now === 'nav' ? null : now)), [path]);
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {text('shell.skip')}
      </button>
      <NewBuildBar />
      <Nav folded={navFolded} onFold={() => setPreferences({ navFolded: !navFolded })} />
      <Header
        onSearch={() => setOpen('palette')}
        onNav={() => setOpen('nav')}
        onKeys={() => setOpen('keys')}
      />
      <main ref={main} id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <Drawer.Root opened={open === 'nav'} onClose={close} size={240}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={text('nav.label')}>
          <Nav folded={false} />
        </Drawer.Content>
      </Drawer.Root>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'actions' && <Palette begin="> " onClose={close} />}
      {open === 'copy' && <CopyDialog onClose={close} />}
      {open === 'keys' && <KeyList onClose={close} />}
      <SignInAgain />
    </div>
  );
}

/** After a navigation, keyboard focus moves to the new page, unless the page or a dialog already has it. */
function useFocusOnNewPage(
  main: { readonly current: HTMLElement | null },
  path: string,
  isCovered: boolean,
): void {
  const first = useRef(true);
  // A new path means another page.
  useEffectWhen(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (!isCovered && !main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true });
  }, [path, main]);
}

/** The palette offers the pages one was on. */
function useRemember(): void {
  const { title } = usePlaceName();
  const to = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => remember({ title, to }), [title, to]);
}

/** Loads the pages of the navigation when idle, so that they open even while the server is away. */
function useWarmPages(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { nav, load } of pages) if (nav) load().catch(() => {});
    }, WARM_AFTER);
    return () => clearTimeout(timer);
  }, []);
}
