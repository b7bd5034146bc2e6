/** Chooses the columns of the list; any parameter or output of a run can be one, also one that no row here has. */
import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { optionalColumns, type RunRow } from './columns.tsx';

interface ColumnsMenuProps {
  readonly rows: readonly RunRow[];
  readonly shown: readonly string[];
  onSwitch(name: string): void;
}

export function ColumnsMenu({ rows, shown, onSwitch }: ColumnsMenuProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [adding, setAdding] = useState(false);
  const values = new Set([
    ...shown.filter((name) => name.includes(':')),
    ...rows.flatMap(({ params }) => Object.keys(params).map((name) => `param:${name}`)),
    ...rows.flatMap(({ outputs }) => Object.keys(outputs).map((name) => `output:${name}`)),
  ]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === '') return;
    const column = /^(param|output):/.test(name) ? name : `param:${name}`;
    if (!shown.includes(column)) onSwitch(column);
    setTyped('');
    setAdding(false);
  };
  const label = (name: string) =>
    text(name.startsWith('output:') ? 'runs.column.output' : 'runs.column.param', {
      name: name.slice(name.indexOf(':') + 1),
    });
  const menu = (
    <Menu position="bottom-end" closeOnItemClick={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} />}>{text('runs.columns')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(optionalColumns).map(([name, word]) => (
          <Menu.CheckboxItem key={name} checked={shown.includes(name)} onChange={() => onSwitch(name)}>
            {text(word)}
          </Menu.CheckboxItem>
        ))}
        {[...values].map((name) => (
          <Menu.CheckboxItem key={name} checked={shown.includes(name)} onChange={() => onSwitch(name)}>
            {label(name)}
          </Menu.CheckboxItem>
        ))}
        <Menu.Item onClick={() => setAdding(true)} closeMenuOnClick>
          {text('runs.column.add')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <>
      {menu}
      {adding && (
        <Modal
          opened
          onClose={() => setAdding(false)}
          title={text('runs.column.add')}
          closeButtonProps={{ 'aria-label': text('close') }}
        >
          <form onSubmit={add}>
            <TextInput
              data-autofocus
              label={text('runs.column.name')}
              placeholder={text('runs.column.addHint')}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </form>
        </Modal>
      )}
    </>
  );
}
