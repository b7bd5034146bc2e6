/** Chooses the columns of the list; any parameter or output of a run can be one, also one that no row here has. */
import { Menu, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ColumnsMenu } from '../../parts/list/columns-menu.tsx';
import { optionalColumns, type RunRow } from './columns.tsx';

interface RunColumnsProps {
  /** Returns the listed runs on request. */
  rowsNow(): readonly RunRow[];
  readonly shown: readonly string[];
  onSwitch(name: string): void;
}

export function RunColumns({ rowsNow, shown, onSwitch }: RunColumnsProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [adding, setAdding] = useState(false);
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
  const columns = () => {
    const rows = rowsNow();
    const values = new Set([
      ...shown.filter((name) => name.includes(':')),
      ...rows.flatMap(({ params }) => Object.keys(params).map((name) => `param:${name}`)),
      ...rows.flatMap(({ outputs }) => Object.keys(outputs).map((name) => `output:${name}`)),
    ]);
    return [
      ...Object.entries(optionalColumns).map(([name, word]) => [name, text(word)] as const),
      ...[...values].map((name) => [name, label(name)] as const),
    ];
  };
  return (
    <>
      <ColumnsMenu columns={columns} shown={shown} onSwitch={onSwitch}>
        <Menu.Item onClick={() => setAdding(true)} closeMenuOnClick>
          {text('runs.column.add')}
        </Menu.Item>
      </ColumnsMenu>
      {adding && (
        <Dialog onClose={() => setAdding(false)} title={text('runs.column.add')}>
          <form onSubmit={add}>
            <TextInput
              data-autofocus
              label={text('runs.column.name')}
              placeholder={text('runs.column.addHint')}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </form>
        </Dialog>
      )}
    </>
  );
}
