/** Chooses between everything and only what is new since the last visit. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { Time } from '../../parts/time.tsx';

interface SinceMenuProps {
  /** The end of the visit before; null where there was none. */
  readonly visit: number | null;
  readonly onlyNew: boolean;
  onChange(onlyNew: boolean): void;
}

export function SinceMenu({ visit, onlyNew, onChange }: SinceMenuProps) {
  const text = useText();
  useKeys(
    visit === null
      ? []
      : [{ label: text(onlyNew ? 'home.sinceAlways' : 'home.sinceVisit'), run: () => onChange(!onlyNew) }],
  );
  if (visit === null) return null;
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>
          {text(onlyNew ? 'home.sinceVisit' : 'home.sinceAlways')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item rightSection={onlyNew ? undefined : '✓'} onClick={() => onChange(false)}>
          {text('home.sinceAlways')}
        </Menu.Item>
        <Menu.Item rightSection={onlyNew ? '✓' : undefined} onClick={() => onChange(true)}>
          {text('home.sinceVisit')} <Time at={new Date(visit).toISOString()} />
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
