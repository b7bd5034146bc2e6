/** Chooses whether runs are listed one by one, or put together. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import type { Grouping } from './groups.tsx';

const choices = [undefined, 'workflow', 'error'] as const;

interface GroupMenuProps {
  readonly group: Grouping | undefined;
  onGroup(group: Grouping | undefined): void;
}

export function GroupMenu({ group, onGroup }: GroupMenuProps) {
  const text = useText();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.group')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={group ?? 'none'}>
          {choices.map((choice) => (
            <Menu.RadioItem key={choice ?? 'none'} value={choice ?? 'none'} onClick={() => onGroup(choice)}>
              {text(`runs.group.${choice ?? 'none'}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
