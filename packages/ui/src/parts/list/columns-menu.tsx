/** Chooses the columns of a list: a box for each that can be left out, and below them what else the list offers. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/text.tsx';

interface ColumnsMenuProps {
  /** The columns with their labels, called while the menu is open. */
  columns(): readonly (readonly [name: string, label: string])[];
  readonly shown: readonly string[];
  readonly children?: ReactNode;
  onSwitch(name: string): void;
}

export function ColumnsMenu({ columns, shown, children, onSwitch }: ColumnsMenuProps) {
  const text = useText();
  return (
    <Menu position="bottom-end" closeOnItemClick={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('list.columns')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Items {...{ columns, shown, onSwitch }} />
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}

function Items({ columns, shown, onSwitch }: Omit<ColumnsMenuProps, 'children'>) {
  return columns().map(([name, label]) => (
    <Menu.CheckboxItem key={name} checked={shown.includes(name)} onChange={() => onSwitch(name)}>
      {label}
    </Menu.CheckboxItem>
  ));
}
