/** The header: breadcrumbs, the palette, the live badge, and the settings of times, colours and language. */
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconLanguage,
  IconMenu2,
  IconMoon,
  IconSearch,
  IconSun,
  IconSunMoon,
  IconUser,
  IconWorld,
} from '@tabler/icons-react';
import { useApi } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { usePlaceName } from '../../data/place-name.ts';
import { setPreferences, usePreferences } from '../../data/preferences.ts';
import { askToSignIn } from '../../data/session.ts';
import { useText } from '../../i18n/text.tsx';
import { timeParts, zoneChoices, zoneOf } from '../../model/time.ts';
import { KeySign } from '../../parts/key-sign.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Link } from '../link.tsx';
import { useNarrowed } from '../use-project.ts';
import { LiveBadge } from './live-badge.tsx';
import styles from './shell.module.css';

interface HeaderProps {
  onSearch(): void;
  onNav(): void;
  onKeys(): void;
}

export function Header({ onSearch, onNav, onKeys }: HeaderProps) {
  const text = useText();
  return (
    <header className={styles.header}>
      <ActionIcon
        className={styles.onlyNarrow}
        variant="subtle"
        aria-label={text('nav.open')}
        onClick={onNav}
      >
        <IconMenu2 size={16} />
      </ActionIcon>
      <Crumbs />
      <button type="button" className={styles.searchButton} onClick={onSearch}>
        <IconSearch size={14} aria-hidden="true" />
        <span>{text('palette.open')}</span>
        <KeySign keys="mod+k" />
      </button>
      <LiveBadge />
      <ZoneMenu />
      <ThemeMenu />
      <LanguageMenu />
      <PersonMenu onKeys={onKeys} />
    </header>
  );
}

function Crumbs() {
  const text = useText();
  const { crumbs, title } = usePlaceName();
  const narrowed = useNarrowed();
  const way = crumbs.length === 0 ? [{ label: title }] : crumbs;
  return (
    <nav aria-label={text('header.crumbs')} style={{ flex: 1, minWidth: 0 }}>
      <ol className={styles.crumbs}>
        {way.map(({ label, to }) => (
          <li key={label} aria-current={to === undefined ? 'page' : undefined}>
            {to === undefined ? label : <Link to={narrowed(to)}>{label}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function ZoneMenu() {
  const text = useText();
  const { zone } = usePreferences();
  const offset = timeParts(Date.now(), zoneOf(zone)).offset;
  const label = text('zone.label', { zone: zone === 'schedule' ? text('zone.schedule') : offset });
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          w="auto"
          px={8}
          className={styles.zone}
          aria-label={label}
          data-hint={label}
        >
          <span className="mono">{zone === 'schedule' ? text('zone.scheduleShort') : offset}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {zoneChoices.map((choice) => (
          <Menu.Item
            key={choice}
            leftSection={<IconWorld size={14} />}
            rightSection={choice === zone ? '✓' : undefined}
            onClick={() => setPreferences({ zone: choice })}
          >
            {choice === 'browser' && text('zone.browser', { zone: zoneOf('browser') })}
            {choice === 'schedule' && text('zone.schedule')}
            {choice === 'utc' && 'UTC'}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const themes = [
  ['system', 'theme.system', IconSunMoon],
  ['light', 'theme.light', IconSun],
  ['dark', 'theme.dark', IconMoon],
] as const;

function ThemeMenu() {
  const text = useText();
  const { theme } = usePreferences();
  useKeys(
    themes.map(([name, label]) => ({
      label: text('theme.choose', { theme: text(label) }),
      run: () => setPreferences({ theme: name }),
    })),
  );
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label={text('theme.label')} data-hint={text('theme.label')}>
          <IconSunMoon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {themes.map(([name, label, Icon]) => (
          <Menu.Item
            key={name}
            leftSection={<Icon size={14} />}
            rightSection={name === theme ? '✓' : undefined}
            onClick={() => setPreferences({ theme: name })}
          >
            {text(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const tongues = [
  ['en', 'English'],
  ['zh-CN', '简体中文'],
] as const;

function LanguageMenu() {
  const text = useText();
  useKeys(
    tongues.map(([language, name]) => ({
      label: text('language.choose', { name }),
      run: () => setPreferences({ language }),
    })),
  );
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label={text('language.label')} data-hint={text('language.label')}>
          <IconLanguage size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {tongues.map(([language, name]) => (
          <Menu.Item key={language} lang={language} onClick={() => setPreferences({ language })}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function PersonMenu({ onKeys }: { onKeys: () => void }) {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const { density, singleKeys } = usePreferences();
  const name = me?.name ?? text('person.unknown');
  const signOut = () =>
    call('signOut', {}).then(askToSignIn, (error: Error) =>
      notify(text('person.stillSignedIn', { why: error.message }), 'bad'),
    );
  const items = [
    {
      label: text(density === 'compact' ? 'person.comfortable' : 'person.compact'),
      run: () => setPreferences({ density: density === 'compact' ? 'comfortable' : 'compact' }),
    },
    {
      label: text(singleKeys ? 'person.keysOff' : 'person.keysOn'),
      run: () => setPreferences({ singleKeys: !singleKeys }),
    },
    ...(me?.signedIn ? [{ label: text('person.signOut'), run: () => void signOut() }] : []),
  ];
  useKeys(items);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label={text('person.label', { name })} data-hint={name}>
          <IconUser size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me ? text('person.role', { name, role: me.role }) : name}</Menu.Label>
        <Menu.Item onClick={onKeys} rightSection={<KeySign keys="?" />}>
          {text('keys.title')}
        </Menu.Item>
        {items.map(({ label, run }) => (
          <Menu.Item key={label} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
