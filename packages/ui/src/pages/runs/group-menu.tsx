/** Chooses whether runs are listed one by one, or put together. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import type { Grouping } from './groups.tsx';

const choices = [
  [undefined, 'runs.group.none'],
  ['workflow', 'runs.group.workflow'],
  ['error', 'runs.group.error'],
] as const;

interface GroupMenuProps {
  readonly group: Grouping | undefined;
  onGroup(group: Grouping | undefined): void;
}

export function GroupMenu({ group, onGroup }: GroupMenuProps) {
  const text = useText();
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.group')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={group ?? 'none'}>
          {choices.map(([choice, label]) => (
            <Menu.RadioItem key={choice ?? 'none'} value={choice ?? 'none'} onClick={() => onGroup(choice)}>
              {text(label)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
