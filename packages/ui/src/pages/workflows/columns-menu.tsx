/** Chooses the columns of the list of workflows. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useText } from '../../i18n/text.tsx';
import { optionalColumns } from './shown-columns.ts';

interface ColumnsMenuProps {
  readonly shown: readonly string[];
  onSwitch(name: string): void;
}

export function ColumnsMenu({ shown, onSwitch }: ColumnsMenuProps) {
  const text = useText();
  return (
    <Menu position="bottom-end" closeOnItemClick={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('workflows.columns')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(optionalColumns).map(([name, word]) => (
          <Menu.CheckboxItem key={name} checked={shown.includes(name)} onChange={() => onSwitch(name)}>
            {text(word)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
